import re
import subprocess
import sys

import pytest

from portal.matching.privacy.late_patterns import LatePattern


def test_a_pattern_is_compiled_once_as_written() -> None:
    pattern = LatePattern(r"(?P<word>ray)s?", re.IGNORECASE)
    assert pattern.compiled == re.compile(r"(?P<word>ray)s?", re.IGNORECASE)
    assert pattern.compiled is pattern.compiled


def test_what_is_wrong_in_a_pattern_is_found_by_compiling_it() -> None:
    with pytest.raises(re.error):
        _ = LatePattern("(").compiled


def test_the_matcher_starts_without_compiling_them_and_all_of_them_can_be_compiled() -> None:
    code = (
        "import gc, portal.matching;"
        "from portal.matching.privacy.late_patterns import LatePattern;"
        "patterns = [thing for thing in gc.get_objects() if isinstance(thing, LatePattern)];"
        "print(len(patterns) > 100, any('compiled' in vars(pattern) for pattern in patterns),"
        " all(pattern.compiled for pattern in patterns))"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.split() == ["True", "False", "True"]
