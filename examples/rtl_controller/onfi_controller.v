// A flash controller for one ONFI channel: several chips, several dies on each, operations on several planes.
//
// Each die holds one operation at a time, of one page (or block) per plane; dies work at the same time. While a
// die is busy with its array the bus serves the others, in turn. An operation takes the bus
//   to start     READ 00h-30h, PROGRAM 80h-10h, ERASE 60h-D0h, with 32h, 11h, D1h between planes; RESET FFh
//   when ready   PROGRAM, ERASE, RESET: 78h and the status of every plane; READ: 06h-E0h and the data of a plane
// R/B# says when a die is ready; where several dies share an R/B# (`poll`) 78h asks as well, every `t_poll`
// periods. Behind the page data stand SPARE_BYTES of the spare area, reached with 85h and 06h when the transfer
// ends before the page does.
//
// The clock may stand still while `clock_wanted` is low.
module onfi_controller #(
    parameter CHIPS = 4,
    parameter DIES = 8,
    parameter PLANES = 8,
    parameter SPARE_BYTES = 8
) (
    input  wire        clk,
    input  wire        rst_n,
    output wire        clock_wanted,

    // the part, and its times in periods of the clock: set before the first operation
    input  wire [15:0] page_bytes,
    input  wire        four_row_cycles,
    input  wire        poll,
    input  wire [15:0] t_poll,
    input  wire [7:0]  t_wp,
    input  wire [7:0]  t_wh,
    input  wire [7:0]  t_rp,
    input  wire [7:0]  t_reh,
    input  wire        sample_late,
    input  wire [7:0]  t_cs,
    input  wire [7:0]  t_ceh,
    input  wire [7:0]  t_wb,
    input  wire [7:0]  t_whr,
    input  wire [7:0]  t_adl,
    input  wire [7:0]  t_ccs,
    input  wire [7:0]  t_rhw,
    input  wire [15:0] t_dbsy,

    // an operation for a die that has none: one plane per period, from plane 0 on
    input  wire        load,
    input  wire        load_last,        // the plane is the operation's last one, which starts it
    input  wire [$clog2(DIES)-1:0]   load_die,
    input  wire [$clog2(CHIPS)-1:0]  load_chip,
    input  wire [1:0]  load_operation,
    input  wire [$clog2(PLANES)-1:0] load_plane,
    input  wire [31:0] load_row,
    input  wire [15:0] load_column,      // of the first byte
    input  wire [15:0] load_length,      // bytes of the page that are moved

    // what became of a plane, for one period; with the last one the die is free
    output reg         result,
    output reg         result_last,
    output reg  [$clog2(DIES)-1:0]   result_die,
    output reg  [$clog2(PLANES)-1:0] result_plane,
    output reg  [7:0]  result_status,    // READ: not meant

    // who has the bus
    output wire        bus_taken,
    output wire [$clog2(DIES)-1:0]   bus_die,
    output wire [$clog2(PLANES)-1:0] bus_plane,
    output wire        bus_serves,       // an operation whose array time has passed
    output wire        array_starts,     // the last confirm has been given

    // page data of bus_die and bus_plane
    output wire [15:0] data_column,
    input  wire [7:0]  data_in,
    output wire [7:0]  data_out,
    output wire [15:0] data_out_column,
    output wire        data_out_valid,

    output reg  [CHIPS-1:0] ce_n,
    output wire        cle,
    output wire        ale,
    output wire        we_n,
    output wire        re_n,
    output wire        wp_n,
    output wire [7:0]  dq_out,
    output wire        dq_oe,
    input  wire [7:0]  dq_in,
    input  wire [CHIPS-1:0] rb_n
);

  assign wp_n = 1'b1;

  localparam [1:0] READ = 2'd0;
  localparam [1:0] PROGRAM = 2'd1;
  localparam [1:0] ERASE = 2'd2;
  localparam [1:0] RESET = 2'd3;

  // --- the dies ---

  localparam DIE = $clog2(DIES);
  localparam CHIP = $clog2(CHIPS);
  localparam PLANE = $clog2(PLANES);

  reg [DIES-1:0]  waits;     // for the bus, to start
  reg [DIES-1:0]  in_array;
  reg [DIES-1:0]  is_ready;  // ... and it has been seen that its array is done
  reg [DIES-1:0]  ask;       // ... and it is time to poll
  reg [CHIP-1:0]  chip_of[0:DIES-1];
  reg [1:0]       operation_of[0:DIES-1];
  reg [PLANE-1:0] last_of[0:DIES-1];
  reg [PLANE-1:0] served_of[0:DIES-1];  // READ: the next plane whose data comes
  reg [31:0]      rows[0:DIES*PLANES-1];
  reg [15:0]      columns[0:DIES*PLANES-1];
  reg [15:0]      lengths[0:DIES*PLANES-1];

  reg [CHIPS-1:0] ready_meta;  // R/B# through two flip-flops
  reg [CHIPS-1:0] ready;
  reg [15:0]      poll_timer;
  wire            polled = poll && |in_array;

  reg [DIES-1:0]  risen;
  reg [DIE-1:0]   chosen;
  wire [DIES-1:0] due = waits | (in_array & (is_ready | ask | risen));
  integer         i;
  reg [DIE-1:0]   candidate;

  always @* begin
    for (i = 0; i < DIES; i = i + 1) risen[i] = in_array[i] && ready[chip_of[i]];
    chosen = die;
    for (i = DIES; i > 0; i = i - 1) begin  // the next one in turn is looked at last
      candidate = die + i[DIE-1:0];
      if (due[candidate]) chosen = candidate;
    end
  end

  assign clock_wanted = load || result || running || |due || polled || ready_meta != rb_n || ready != ready_meta;

  // --- a tenure of the bus: steps, each a run of cycles or a pause ---

  localparam [4:0] SELECT = 5'd0, RELEASE = 5'd20,
      COMMAND = 5'd1, ADDRESS = 5'd2, LOAD_WAIT = 5'd3, LOAD = 5'd4, COLUMN = 5'd5, COLUMN_ADDRESS = 5'd6,
      CONFIRM = 5'd7, BUSY_WAIT = 5'd8,
      ASK = 5'd9, ASK_ADDRESS = 5'd10, ASK_WAIT = 5'd11, STATUS = 5'd12, STATUS_TURN = 5'd13,
      FETCH = 5'd14, FETCH_ADDRESS = 5'd15, FETCH_CONFIRM = 5'd16, FETCH_WAIT = 5'd17, TAKE = 5'd18,
      TAKE_TURN = 5'd19;

  reg             running;
  reg [4:0]       step;
  reg [DIE-1:0]   die;
  reg [PLANE-1:0] plane;
  reg             spare;     // the transfer has come to the spare area by a column change
  reg             serves;

  wire [PLANE+DIE-1:0] place = {die, plane};
  wire [1:0]  operation = operation_of[die];
  wire [31:0] row = rows[place];
  wire [15:0] column = spare ? page_bytes : columns[place];
  wire        last_plane = plane == last_of[die];
  wire        to_page_end = columns[place] + lengths[place] == page_bytes;
  wire [15:0] burst = spare ? SPARE_BYTES : to_page_end ? lengths[place] + SPARE_BYTES : lengths[place];
  wire        more_data = !spare && !to_page_end;
  wire [15:0] row_cycles = four_row_cycles ? 16'd4 : 16'd3;
  wire        array_done = data_out[6];

  localparam [2:0] RUN_COMMAND = 3'd0, RUN_ADDRESS = 3'd1, RUN_DATA_IN = 3'd2, RUN_DATA_OUT = 3'd3, RUN_STATUS = 3'd4,
      RUN_PAUSE = 3'd5;

  wire        idle;
  wire        released = step == RELEASE && ce_n[chip_of[die]];
  wire        go = running && idle && !released;
  reg  [2:0]  kind;
  reg  [15:0] count;
  reg  [47:0] bytes;

  function [7:0] first_opcode;
    input [1:0] what;
    case (what)
      READ: first_opcode = 8'h00;
      PROGRAM: first_opcode = 8'h80;
      ERASE: first_opcode = 8'h60;
      default: first_opcode = 8'hFF;
    endcase
  endfunction

  function [7:0] confirm_opcode;
    input [1:0] what;
    input last;
    case (what)
      READ: confirm_opcode = last ? 8'h30 : 8'h32;
      PROGRAM: confirm_opcode = last ? 8'h10 : 8'h11;
      default: confirm_opcode = last ? 8'hD0 : 8'hD1;
    endcase
  endfunction

  always @* begin
    kind = RUN_PAUSE;
    count = 16'd1;
    bytes = 48'd0;
    case (step)
      SELECT: count = {8'd0, t_cs};
      COMMAND: begin
        kind = RUN_COMMAND;
        bytes[7:0] = first_opcode(operation);
      end
      ADDRESS: begin
        kind = RUN_ADDRESS;
        count = operation == ERASE ? row_cycles : row_cycles + 16'd2;
        bytes = operation == ERASE ? {16'd0, row} : {row, column};
      end
      LOAD_WAIT: count = {8'd0, spare ? t_ccs : t_adl};
      LOAD: begin
        kind = RUN_DATA_IN;
        count = burst;
      end
      COLUMN: begin
        kind = RUN_COMMAND;
        bytes[7:0] = 8'h85;
      end
      COLUMN_ADDRESS: begin
        kind = RUN_ADDRESS;
        count = 16'd2;
        bytes[15:0] = column;
      end
      CONFIRM: begin
        kind = RUN_COMMAND;
        bytes[7:0] = confirm_opcode(operation, last_plane);
      end
      // behind the last plane R/B# has to come through the flip-flops
      BUSY_WAIT: count = {8'd0, t_wb} + (last_plane ? 16'd3 : t_dbsy);
      ASK: begin
        kind = RUN_COMMAND;
        bytes[7:0] = 8'h78;
      end
      ASK_ADDRESS: begin
        kind = RUN_ADDRESS;
        count = row_cycles;
        bytes[31:0] = row;
      end
      ASK_WAIT: count = {8'd0, t_whr};
      STATUS: kind = RUN_STATUS;
      STATUS_TURN: count = {8'd0, t_rhw};
      FETCH: begin
        kind = RUN_COMMAND;
        bytes[7:0] = 8'h06;
      end
      FETCH_ADDRESS: begin
        kind = RUN_ADDRESS;
        count = row_cycles + 16'd2;
        bytes = {row, column};
      end
      FETCH_CONFIRM: begin
        kind = RUN_COMMAND;
        bytes[7:0] = 8'hE0;
      end
      FETCH_WAIT: count = {8'd0, t_ccs};
      TAKE: begin
        kind = RUN_DATA_OUT;
        count = burst;
      end
      TAKE_TURN: count = {8'd0, t_rhw};
      default: count = {8'd0, t_ceh};
    endcase
  end

  onfi_cycles cycles (
      .clk(clk), .rst_n(rst_n),
      .t_wp(t_wp), .t_wh(t_wh), .t_rp(t_rp), .t_reh(t_reh), .sample_late(sample_late),
      .go(go), .kind(kind), .count(count), .bytes(bytes), .first_column(column), .idle(idle),
      .column(data_column), .data_in(data_in),
      .data_out(data_out), .data_out_column(data_out_column), .data_out_valid(data_out_valid),
      .cle(cle), .ale(ale), .we_n(we_n), .re_n(re_n), .dq_out(dq_out), .dq_oe(dq_oe), .dq_in(dq_in)
  );

  assign bus_taken = running;
  assign bus_die = die;
  assign bus_plane = plane;
  assign bus_serves = serves;
  assign array_starts = running && step == BUSY_WAIT && last_plane && we_n;

  // --- what follows ---

  task next_plane;
    input [4:0] first_step;
    begin
      plane <= plane + 1'b1;
      spare <= 1'b0;
      step <= first_step;
    end
  endtask

  task tell;  // what became of the plane
    begin
      result <= 1'b1;
      result_last <= last_plane;
      result_die <= die;
      result_plane <= plane;
      result_status <= data_out;
      if (last_plane) in_array[die] <= 1'b0;
    end
  endtask

  always @(posedge clk or negedge rst_n) begin
    if (!rst_n) begin
      {waits, in_array, is_ready, ask} <= {4 * DIES{1'b0}};
      ready_meta <= {CHIPS{1'b1}};
      ready <= {CHIPS{1'b1}};
      poll_timer <= 16'd0;
      running <= 1'b0;
      step <= SELECT;
      die <= {DIE{1'b0}};
      plane <= {PLANE{1'b0}};
      {spare, serves} <= 2'b00;
      {result, result_last} <= 2'b00;
      result_die <= {DIE{1'b0}};
      result_plane <= {PLANE{1'b0}};
      result_status <= 8'd0;
      ce_n <= {CHIPS{1'b1}};
    end else begin
      ready_meta <= rb_n;
      ready <= ready_meta;
      is_ready <= is_ready | risen;
      result <= 1'b0;

      if (!polled || poll_timer == 0) poll_timer <= t_poll;
      else poll_timer <= poll_timer - 16'd1;
      if (polled && poll_timer == 0) ask <= in_array;

      if (load) begin
        rows[{load_die, load_plane}] <= load_row;
        columns[{load_die, load_plane}] <= load_column;
        lengths[{load_die, load_plane}] <= load_length;
        chip_of[load_die] <= load_chip;
        operation_of[load_die] <= load_operation;
        last_of[load_die] <= load_plane;
        if (load_last) waits[load_die] <= 1'b1;
      end

      if (!running && |due) begin
        running <= 1'b1;
        step <= SELECT;
        die <= chosen;
        serves <= !waits[chosen];
        plane <= waits[chosen] ? {PLANE{1'b0}} : served_of[chosen];
        spare <= 1'b0;
        ce_n[chip_of[chosen]] <= 1'b0;
      end

      if (go) begin
        step <= step + 5'd1;
        case (step)
          SELECT:
            if (serves) step <= operation == READ && is_ready[die] ? FETCH : ASK;
          COMMAND: if (operation == RESET) step <= BUSY_WAIT;
          ADDRESS: if (operation != PROGRAM) step <= CONFIRM;
          LOAD:
            if (more_data) spare <= 1'b1;
            else step <= CONFIRM;
          COLUMN_ADDRESS: step <= LOAD_WAIT;
          BUSY_WAIT:
            if (last_plane) begin
              step <= RELEASE;
              waits[die] <= 1'b0;
              served_of[die] <= {PLANE{1'b0}};
            end else next_plane(COMMAND);
          STATUS_TURN: begin
            ask[die] <= 1'b0;
            step <= RELEASE;
            if (array_done) begin
              is_ready[die] <= 1'b1;
              if (operation == READ) step <= FETCH;
              else begin
                tell;
                if (!last_plane) next_plane(ASK);
              end
            end
          end
          TAKE_TURN:
            if (more_data) begin
              spare <= 1'b1;
              step <= FETCH;
            end else begin
              tell;
              served_of[die] <= plane + 1'b1;
              step <= RELEASE;
            end
          RELEASE: begin  // CE# is high, and has been for tCEH when this step is seen again
            ce_n[chip_of[die]] <= 1'b1;
            step <= RELEASE;
          end
          default: ;
        endcase
      end

      if (running && idle && released) begin
        running <= 1'b0;
        if (!serves) begin
          in_array[die] <= 1'b1;
          is_ready[die] <= 1'b0;
          ask[die] <= 1'b0;
        end
      end
    end
  end

endmodule
