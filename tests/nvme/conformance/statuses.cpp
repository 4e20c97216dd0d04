#include "tests/nvme/conformance/statuses.h"

#include "hw/spec/nvme.h"

namespace twinplane::test::conformance {

const std::vector<ProvokedStatus>& statuses() {
  namespace st = nvme::status;
  static const std::vector<ProvokedStatus> all = {
      {st::success, "written_data_are_read"},
      {st::invalid_opcode, "unknown_admin_opcodes_are_refused"},
      {st::invalid_field, "sgls_are_refused_where_identify_denies_them"},
      {st::cid_conflict, "an_identifier_in_use_is_refused_or_works"},
      {st::data_transfer_error, "memory_that_is_not_there_fails_the_command_alone"},
      {st::internal_error, nullptr},
      {st::abort_requested, "abort_says_whether_it_did"},
      {st::aborted_sq_deletion, nullptr},
      {st::invalid_namespace, "commands_that_name_sectors_check_range_and_namespace"},
      {st::command_sequence, "number_of_queues_is_fixed_once_there_is_one"},
      {st::prp_offset, "offsets_where_none_may_be_are_refused"},
      {st::sanitize_failed, "a_sanitize_operation_that_fails_restricts_the_host"},
      {st::sanitize_in_progress, "sanitize_restricts_other_commands"},
      {st::lba_range, "commands_that_name_sectors_check_range_and_namespace"},
      {st::capacity_exceeded, nullptr},
      {st::namespace_not_ready, nullptr},
      {st::format_in_progress, "a_format_beside_io_ends_all_commands"},
      {st::cq_invalid, "submission_queue_creation_is_checked"},
      {st::qid_invalid, "submission_queue_creation_is_checked"},
      {st::queue_size, "completion_queue_creation_is_checked"},
      {st::abort_limit, nullptr},
      {st::aer_limit, "event_requests_are_limited"},
      {st::interrupt_vector, "completion_queue_creation_is_checked"},
      {st::log_page, "log_pages_answer_by_identifier_and_offset"},
      {st::invalid_format, "format_is_checked"},
      {st::invalid_queue_deletion, "queues_are_deleted_in_their_order"},
      {st::feature_not_saveable, "features_keep_what_is_set_until_a_reset"},
      {st::feature_not_changeable, "features_are_changed_as_far_as_they_can_be"},
      {st::feature_not_of_namespace, "features_are_changed_as_far_as_they_can_be"},
      {st::self_test_in_progress, "a_self_test_can_be_aborted"},
      {st::read_only_range, "a_worn_drive_refuses_writes_and_goes_on_reading"},
      {st::write_fault, "a_write_that_fails_says_so"},
      {st::unrecovered_read, "uncorrectable_sectors_fail_reads_until_they_are_written"},
      {st::compare_failure, "compare_tells_whether_data_are_equal"},
  };
  return all;
}

} // namespace twinplane::test::conformance
