// A small ONFI flash controller: SDR data interface, one target, one operation at a time.
//
// An operation is a row of steps (command, address, data, wait), taken from the function `step`; the state
// machine below turns each into bus cycles. All times are parameters in periods of `clk`. Data move
// between the bus and a page buffer that is reached through the buffer_ ports while `busy` is low.
//
// operation  0 reset        FFh, wait for R/B#
//            1 read id      90h 20h, four bytes to `id`
//            2 erase        60h-D0h, wait for R/B#, status
//            3 program      80h-10h, `length` bytes from `column` on, wait for R/B#, status
//            4 read         00h-30h, wait for R/B#, `length` bytes from `column` on
//            5 status       70h
//            6 polled read  like 4, but with 70h instead of R/B#, and CE# low all the time
//            7 start erase  60h-D0h and back at once, with CE# high
module onfi_master #(
    parameter PAGE_BYTES = 4096,
    parameter T_CS = 3,
    parameter T_CEH = 2,
    parameter T_WP = 2,
    parameter T_WH = 1,
    parameter T_RP = 3,
    parameter T_REH = 1,
    parameter T_WB = 11,
    parameter T_WHR = 9,
    parameter T_ADL = 41,
    parameter T_RR = 3,
    parameter T_RHW = 11
) (
    input  wire        clk,
    input  wire        rst_n,

    input  wire        start,      // one period; taken when busy is low
    input  wire [2:0]  operation,
    input  wire [23:0] row,
    input  wire [15:0] column,
    input  wire [15:0] length,     // bytes, at least one
    output reg         busy,
    output reg  [7:0]  status,
    output reg  [31:0] id,

    input  wire        buffer_write,
    input  wire [$clog2(PAGE_BYTES)-1:0] buffer_address,
    input  wire [7:0]  buffer_in,
    output reg  [7:0]  buffer_out,  // of the address one period ago

    output reg         ce_n,
    output reg         cle,
    output reg         ale,
    output reg         we_n,
    output reg         re_n,
    output wire        wp_n,
    output reg  [7:0]  dq_out,
    output reg         dq_oe,
    input  wire [7:0]  dq_in,
    input  wire        rb_n
);

  assign wp_n = 1'b1;

  // --- the steps of the operations ---

  localparam [3:0] COMMAND = 4'd0;  // argument: opcode
  localparam [3:0] ADDRESS = 4'd1;  // argument: 0, 1 column; 2, 3, 4 row; else the byte itself
  localparam [3:0] DATA_IN = 4'd2;
  localparam [3:0] DATA_OUT = 4'd3;
  localparam [3:0] STATUS = 4'd4;   // one byte out
  localparam [3:0] ID = 4'd5;       // four bytes out
  localparam [3:0] PAUSE = 4'd6;    // argument: periods
  localparam [3:0] READY = 4'd7;    // tWB, then until R/B# is high
  localparam [3:0] REPEAT = 4'd8;   // argument: step to go back to while the status is busy
  localparam [3:0] FINISH = 4'd9;

  function [11:0] step;
    input [2:0] op;
    input [4:0] number;
    case ({op, number})
      {3'd0, 5'd0}: step = {COMMAND, 8'hFF};
      {3'd0, 5'd1}: step = {READY, 8'h00};

      {3'd1, 5'd0}: step = {COMMAND, 8'h90};
      {3'd1, 5'd1}: step = {ADDRESS, 8'h20};
      {3'd1, 5'd2}: step = {PAUSE, T_WHR[7:0]};
      {3'd1, 5'd3}: step = {ID, 8'h00};

      {3'd2, 5'd0}: step = {COMMAND, 8'h60};
      {3'd2, 5'd1}: step = {ADDRESS, 8'h02};
      {3'd2, 5'd2}: step = {ADDRESS, 8'h03};
      {3'd2, 5'd3}: step = {ADDRESS, 8'h04};
      {3'd2, 5'd4}: step = {COMMAND, 8'hD0};
      {3'd2, 5'd5}: step = {READY, 8'h00};
      {3'd2, 5'd6}: step = {COMMAND, 8'h70};
      {3'd2, 5'd7}: step = {PAUSE, T_WHR[7:0]};
      {3'd2, 5'd8}: step = {STATUS, 8'h00};

      {3'd3, 5'd0}: step = {COMMAND, 8'h80};
      {3'd3, 5'd1}: step = {ADDRESS, 8'h00};
      {3'd3, 5'd2}: step = {ADDRESS, 8'h01};
      {3'd3, 5'd3}: step = {ADDRESS, 8'h02};
      {3'd3, 5'd4}: step = {ADDRESS, 8'h03};
      {3'd3, 5'd5}: step = {ADDRESS, 8'h04};
      {3'd3, 5'd6}: step = {PAUSE, T_ADL[7:0]};
      {3'd3, 5'd7}: step = {DATA_IN, 8'h00};
      {3'd3, 5'd8}: step = {COMMAND, 8'h10};
      {3'd3, 5'd9}: step = {READY, 8'h00};
      {3'd3, 5'd10}: step = {COMMAND, 8'h70};
      {3'd3, 5'd11}: step = {PAUSE, T_WHR[7:0]};
      {3'd3, 5'd12}: step = {STATUS, 8'h00};

      {3'd4, 5'd0}, {3'd6, 5'd0}: step = {COMMAND, 8'h00};
      {3'd4, 5'd1}, {3'd6, 5'd1}: step = {ADDRESS, 8'h00};
      {3'd4, 5'd2}, {3'd6, 5'd2}: step = {ADDRESS, 8'h01};
      {3'd4, 5'd3}, {3'd6, 5'd3}: step = {ADDRESS, 8'h02};
      {3'd4, 5'd4}, {3'd6, 5'd4}: step = {ADDRESS, 8'h03};
      {3'd4, 5'd5}, {3'd6, 5'd5}: step = {ADDRESS, 8'h04};
      {3'd4, 5'd6}, {3'd6, 5'd6}: step = {COMMAND, 8'h30};
      {3'd4, 5'd7}: step = {READY, 8'h00};
      {3'd4, 5'd8}: step = {PAUSE, T_RR[7:0]};
      {3'd4, 5'd9}: step = {DATA_OUT, 8'h00};

      {3'd5, 5'd0}: step = {COMMAND, 8'h70};
      {3'd5, 5'd1}: step = {PAUSE, T_WHR[7:0]};
      {3'd5, 5'd2}: step = {STATUS, 8'h00};

      {3'd6, 5'd7}: step = {PAUSE, T_WB[7:0]};
      {3'd6, 5'd8}: step = {COMMAND, 8'h70};
      {3'd6, 5'd9}: step = {PAUSE, T_WHR[7:0]};
      {3'd6, 5'd10}: step = {STATUS, 8'h00};
      {3'd6, 5'd11}: step = {PAUSE, T_RHW[7:0]};
      {3'd6, 5'd12}: step = {REPEAT, 8'd10};
      {3'd6, 5'd13}: step = {COMMAND, 8'h00};
      {3'd6, 5'd14}: step = {PAUSE, T_WHR[7:0]};
      {3'd6, 5'd15}: step = {DATA_OUT, 8'h00};

      {3'd7, 5'd0}: step = {COMMAND, 8'h60};
      {3'd7, 5'd1}: step = {ADDRESS, 8'h02};
      {3'd7, 5'd2}: step = {ADDRESS, 8'h03};
      {3'd7, 5'd3}: step = {ADDRESS, 8'h04};
      {3'd7, 5'd4}: step = {COMMAND, 8'hD0};
      {3'd7, 5'd5}: step = {PAUSE, T_WB[7:0]};

      default: step = {FINISH, 8'h00};
    endcase
  endfunction

  function [7:0] address_byte;
    input [7:0] argument;
    case (argument)
      8'd0: address_byte = column_q[7:0];
      8'd1: address_byte = column_q[15:8];
      8'd2: address_byte = row_q[7:0];
      8'd3: address_byte = row_q[15:8];
      8'd4: address_byte = row_q[23:16];
      default: address_byte = argument;
    endcase
  endfunction

  // --- page buffer ---

  reg [7:0] page[0:PAGE_BYTES-1];
  localparam INDEX = $clog2(PAGE_BYTES);

  always @(posedge clk) begin
    if (buffer_write && !busy) page[buffer_address] <= buffer_in;
    else if (state == READ_LOW && timer == 0 && kind == DATA_OUT) page[count[INDEX-1:0]] <= dq_in;
    buffer_out <= page[buffer_address];
  end

  // --- bus cycles ---

  localparam [2:0] IDLE = 3'd0;
  localparam [2:0] NEXT = 3'd1;        // look at the next step
  localparam [2:0] WRITE_LOW = 3'd2;
  localparam [2:0] WRITE_HIGH = 3'd3;
  localparam [2:0] READ_LOW = 3'd4;
  localparam [2:0] READ_HIGH = 3'd5;
  localparam [2:0] WAIT = 3'd6;
  localparam [2:0] WAIT_READY = 3'd7;

  reg  [2:0]  state;
  reg  [2:0]  operation_q;
  reg  [23:0] row_q;
  reg  [15:0] column_q;
  reg  [15:0] length_q;
  reg  [4:0]  number;
  reg  [3:0]  kind;
  reg  [7:0]  timer;
  reg  [15:0] count;
  reg  [1:0]  ready;  // R/B# through two flip-flops

  wire [11:0] now = step(operation_q, number);
  wire [15:0] bytes = kind == DATA_IN || kind == DATA_OUT ? length_q : kind == ID ? 16'd4 : 16'd1;
  wire        last = count + 16'd1 == bytes;

  always @(posedge clk or negedge rst_n) begin
    if (!rst_n) begin
      state <= IDLE;
      busy <= 1'b0;
      status <= 8'h00;
      id <= 32'h0;
      ready <= 2'b11;
      operation_q <= 3'd0;
      row_q <= 24'h0;
      column_q <= 16'h0;
      length_q <= 16'h0;
      number <= 5'd0;
      kind <= FINISH;
      timer <= 8'd0;
      count <= 16'd0;
      {ce_n, we_n, re_n} <= 3'b111;
      {cle, ale, dq_oe} <= 3'b000;
      dq_out <= 8'hFF;
    end else begin
      ready <= {ready[0], rb_n};
      if (timer != 0) timer <= timer - 8'd1;
      case (state)
        IDLE:
          if (start) begin
            busy <= 1'b1;
            operation_q <= operation;
            row_q <= row;
            column_q <= column;
            length_q <= length;
            number <= 5'd0;
            ce_n <= 1'b0;
            timer <= T_CS[7:0] - 8'd1;
            state <= WAIT;
          end

        NEXT: begin
          number <= number + 5'd1;
          kind <= now[11:8];
          count <= 16'd0;
          case (now[11:8])
            COMMAND, ADDRESS: begin
              cle <= now[11:8] == COMMAND;
              ale <= now[11:8] == ADDRESS;
              dq_out <= now[11:8] == COMMAND ? now[7:0] : address_byte(now[7:0]);
              dq_oe <= 1'b1;
              we_n <= 1'b0;
              timer <= T_WP[7:0] - 8'd1;
              state <= WRITE_LOW;
            end
            DATA_IN: begin
              dq_out <= page[0];
              dq_oe <= 1'b1;
              we_n <= 1'b0;
              timer <= T_WP[7:0] - 8'd1;
              state <= WRITE_LOW;
            end
            DATA_OUT, STATUS, ID: begin
              dq_oe <= 1'b0;
              re_n <= 1'b0;
              timer <= T_RP[7:0] - 8'd1;
              state <= READ_LOW;
            end
            PAUSE, READY: begin
              dq_oe <= 1'b0;
              timer <= (now[11:8] == READY ? T_WB[7:0] : now[7:0]) - 8'd1;
              state <= now[11:8] == READY ? WAIT_READY : WAIT;
            end
            REPEAT: if (!status[6]) number <= now[4:0];
            default:  // twice: CE# goes high, and has been high for tCEH
              if (!ce_n) begin
                ce_n <= 1'b1;
                dq_oe <= 1'b0;
                timer <= T_CEH[7:0] - 8'd1;
                state <= WAIT;
              end else begin
                busy <= 1'b0;
                state <= IDLE;
              end
          endcase
        end

        WRITE_LOW:
          if (timer == 0) begin
            we_n <= 1'b1;
            timer <= T_WH[7:0] - 8'd1;
            state <= WRITE_HIGH;
          end

        WRITE_HIGH:
          if (timer == 0) begin
            count <= count + 16'd1;
            if (last) begin
              {cle, ale} <= 2'b00;
              state <= NEXT;
            end else begin
              dq_out <= page[count[INDEX-1:0] + 1'b1];
              we_n <= 1'b0;
              timer <= T_WP[7:0] - 8'd1;
              state <= WRITE_LOW;
            end
          end

        READ_LOW:
          if (timer == 0) begin
            if (kind == STATUS) status <= dq_in;
            if (kind == ID) id <= {id[23:0], dq_in};
            re_n <= 1'b1;
            timer <= T_REH[7:0] - 8'd1;
            state <= READ_HIGH;
          end

        READ_HIGH:
          if (timer == 0) begin
            count <= count + 16'd1;
            if (last) begin
              timer <= T_RHW[7:0] - 8'd1;
              state <= WAIT;
            end else begin
              re_n <= 1'b0;
              timer <= T_RP[7:0] - 8'd1;
              state <= READ_LOW;
            end
          end

        WAIT: if (timer == 0) state <= NEXT;

        WAIT_READY: if (timer == 0 && ready[1]) state <= NEXT;
      endcase
    end
  end

endmodule
