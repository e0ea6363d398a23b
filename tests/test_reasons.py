"""The user gets one line with the reason from a library's message."""

import pytest

from mobilebert_tf.reasons import last_line, reason


class OpError(Exception):
    """As TensorFlow's: the text is in `message`."""

    def __init__(self, message):
        super().__init__(None, None, message)
        self.message = message


@pytest.mark.parametrize(("message", "said"), [
    ("{{function_node __wrapped__SaveV2_dtypes_2_device_/job:localhost/replica:0/task:0/device:"
     "CPU:0}} /tmp/full dir/weights_temp/part-00000-of-00001.data-00000-of-00001.tempstate1237; "
     "No space left on device [Op:SaveV2]", "No space left on device"),
    ("{{function_node __wrapped__CreateSummaryFileWriter_device_/job:localhost/device:CPU:0}} "
     "logs/events.out.tfevents.1795490636.vm.8885.0.v2; No space left on device\n\tFailed to flush "
     "1 events to logs/events.out.tfevents.1795490636.vm.8885.0.v2\n\tFlushing first event.\n\t"
     "Could not initialize events writer. [Op:CreateSummaryFileWriter] name: ",
     "No space left on device"),
    ("Graph execution error:\n\nDetected at node 'SaveV2' defined at (most recent call last):\n"
     "  File \"/usr/lib/x.py\", line 3, in <module>\n\n  File \"/usr/lib/y.py\", line 5, in f\n\n"
     "2 root error(s) found.\n  (0) INVALID_ARGUMENT:  the loss is not finite\n"
     "\t [[{{node CheckNumerics}}]]\n  (1) CANCELLED:  later\n0 successful operations.",
     "the loss is not finite"),
    ("not an sstable (bad magic number)", "not an sstable (bad magic number)"),
    ("Unsuccessful TensorSliceReader constructor: Failed to find any matching files for a/b",
     "Unsuccessful TensorSliceReader constructor: Failed to find any matching files for a/b"),
    ("Collective ops is aborted by: /job:worker/task:1 is down; it was reset\nThe error could be "
     "from a previous operation. Restart your program to reset. [Op:CollectiveReduceV2]",
     "Collective ops is aborted by: /job:worker/task:1 is down; it was reset"),
    ("[_Derived_]RecvAsync is cancelled\n\t [[{{node while/body}}]] [Op:__inference_f_12]",
     "[_Derived_]RecvAsync is cancelled"),
])
def test_nodes_operations_paths_and_stacks_are_left_out(message, said):
    assert reason(OpError(message)) == said


def test_the_system_is_quoted_without_numbers_and_paths():
    assert reason(OSError(28, "No space left on device", "a/b")) == "No space left on device"
    assert reason(OSError("of a library")) == "of a library"
    assert reason(ValueError("one\ntwo")) == "one"
    assert reason(KeyError()) == "KeyError"


def test_last_line_is_said_and_an_error_without_words_has_its_name():
    assert last_line(RuntimeError("INFO: a\nNode number 3 failed to prepare.\n\n")) == (
        "Node number 3 failed to prepare.")
    assert last_line(RuntimeError()) == "RuntimeError"
