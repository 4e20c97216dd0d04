// The cycles of an ONFI bus with the SDR interface: commands, runs of address cycles, data bursts, pauses.
//
// A run is taken in the period in which `go` and `idle` are both high. The times are those of the data sheet in
// periods of `clk`, at least one each; they are set rounded up.
module onfi_cycles (
    input  wire        clk,
    input  wire        rst_n,

    input  wire [7:0]  t_wp,
    input  wire [7:0]  t_wh,
    input  wire [7:0]  t_rp,
    input  wire [7:0]  t_reh,
    input  wire        sample_late,  // DQ is taken at the end of tREH, not of tRP (fast modes: EDO)

    input  wire        go,
    input  wire [2:0]  kind,
    input  wire [15:0] count,        // cycles, or periods of a pause; at least one
    input  wire [47:0] bytes,        // command or address cycles, the first in the lowest byte
    input  wire [15:0] first_column, // of the next burst of page data; taken with any other run
    output wire        idle,

    // page data: a memory that answers within a period
    output reg  [15:0] column,       // of the byte that will be wanted next
    input  wire [7:0]  data_in,      // ... which goes to the package
    output reg  [7:0]  data_out,     // the last byte that came from the package
    output reg  [15:0] data_out_column,
    output reg         data_out_valid,  // one period, for page data only

    output reg         cle,
    output reg         ale,
    output reg         we_n,
    output reg         re_n,
    output reg  [7:0]  dq_out,
    output reg         dq_oe,
    input  wire [7:0]  dq_in
);

  localparam [2:0] COMMAND = 3'd0;
  localparam [2:0] ADDRESS = 3'd1;
  localparam [2:0] DATA_IN = 3'd2;
  localparam [2:0] DATA_OUT = 3'd3;
  localparam [2:0] STATUS = 3'd4;
  // 5: a pause

  localparam [2:0] IDLE = 3'd0;
  localparam [2:0] WRITE_LOW = 3'd1;
  localparam [2:0] WRITE_HIGH = 3'd2;
  localparam [2:0] READ_LOW = 3'd3;
  localparam [2:0] READ_HIGH = 3'd4;
  localparam [2:0] PAUSE = 3'd5;

  reg [2:0]  state;
  reg [2:0]  run;    // its kind
  reg [15:0] left;   // cycles or periods after this one
  reg [7:0]  timer;
  reg [39:0] next_bytes;

  assign idle = state == IDLE;
  wire last = left == 0;

  task write_cycle;
    input [7:0] value;
    begin
      dq_out <= value;
      dq_oe <= 1'b1;
      we_n <= 1'b0;
      timer <= t_wp - 8'd1;
      state <= WRITE_LOW;
    end
  endtask

  task read_cycle;
    begin
      dq_oe <= 1'b0;
      re_n <= 1'b0;
      timer <= t_rp - 8'd1;
      state <= READ_LOW;
    end
  endtask

  task take;
    begin
      data_out <= dq_in;
      data_out_column <= column;
      data_out_valid <= run == DATA_OUT;
      if (run == DATA_OUT) column <= column + 16'd1;
    end
  endtask

  always @(posedge clk or negedge rst_n) begin
    if (!rst_n) begin
      state <= IDLE;
      run <= COMMAND;
      left <= 16'd0;
      timer <= 8'd0;
      next_bytes <= 40'd0;
      column <= 16'd0;
      data_out <= 8'd0;
      data_out_column <= 16'd0;
      data_out_valid <= 1'b0;
      {cle, ale, we_n, re_n, dq_oe} <= 5'b00110;
      dq_out <= 8'hFF;
    end else begin
      data_out_valid <= 1'b0;
      if (timer != 0) timer <= timer - 8'd1;
      case (state)
        IDLE:
          if (go) begin
            run <= kind;
            left <= count - 16'd1;
            next_bytes <= bytes[47:8];
            cle <= kind == COMMAND;
            ale <= kind == ADDRESS;
            if (kind == DATA_IN) column <= column + 16'd1;
            else if (kind != DATA_OUT) column <= first_column;
            case (kind)
              COMMAND, ADDRESS: write_cycle(bytes[7:0]);
              DATA_IN: write_cycle(data_in);
              DATA_OUT, STATUS: read_cycle;
              default: begin
                dq_oe <= 1'b0;
                state <= PAUSE;
              end
            endcase
          end

        WRITE_LOW:
          if (timer == 0) begin
            we_n <= 1'b1;
            timer <= t_wh - 8'd1;
            state <= WRITE_HIGH;
          end

        WRITE_HIGH:
          if (timer == 0) begin
            left <= left - 16'd1;
            if (last) begin
              {cle, ale} <= 2'b00;
              state <= IDLE;
            end else if (run == DATA_IN) begin
              column <= column + 16'd1;
              write_cycle(data_in);
            end else begin
              next_bytes <= {8'd0, next_bytes[39:8]};
              write_cycle(next_bytes[7:0]);
            end
          end

        READ_LOW:
          if (timer == 0) begin
            if (!sample_late) take;
            re_n <= 1'b1;
            timer <= t_reh - 8'd1;
            state <= READ_HIGH;
          end

        READ_HIGH:
          if (timer == 0) begin
            if (sample_late) take;
            left <= left - 16'd1;
            if (last) state <= IDLE;
            else read_cycle;
          end

        default: begin  // PAUSE
          left <= left - 16'd1;
          if (last) state <= IDLE;
        end
      endcase
    end
  end

endmodule
