from __future__ import annotations

import pytest

from portal.config import Bucket, SettingsError, read_settings

KEYS = {"AWS_ACCESS_KEY_ID": "zz-key", "AWS_SECRET_ACCESS_KEY": "zz-secret"}


def read(address: str, environ: dict[str, str]) -> Bucket | None:
    return read_settings({"PORTAL_SECRET_KEY": "k" * 32, "PORTAL_FILES_URL": address, **environ}).files


@pytest.mark.parametrize(
    ("address", "environ", "bucket"),
    [
        ("", {}, None),
        ("s3://uploads", {}, Bucket("uploads")),
        ("s3://up.loads-2/of/the_portal/", KEYS, Bucket("up.loads-2", "of/the_portal")),
        ("s3://uploads", {**KEYS, "AWS_ENDPOINT_URL": "https://s3.example.edu"}, Bucket("uploads")),
        ("s3://uploads", {**KEYS, "AWS_ENDPOINT_URL": "http://localhost:9000"}, Bucket("uploads", "", True)),
        ("s3://uploads", {**KEYS, "AWS_ENDPOINT": "http://127.0.0.2:9000"}, Bucket("uploads", "", True)),
        ("s3://uploads", {**KEYS, "AWS_ENDPOINT_URL": "http://[::1]:9000"}, Bucket("uploads", "", True)),
        ("s3://uploads/a?http=allowed", {"AWS_ENDPOINT_URL": "http://minio:9000"}, Bucket("uploads", "a", True)),
    ],
)
def test_a_bucket_is_read_with_what_the_environment_says_of_its_service(
    address: str, environ: dict[str, str], bucket: Bucket | None
) -> None:
    assert read(address, environ) == bucket


@pytest.mark.parametrize(
    "address",
    [
        "/srv/uploads",
        "s3:uploads",
        "s3://",
        "s3://up",
        "gs://uploads",
        "https://s3.example.edu/uploads",
        "s3://zz-key:zz-secret@uploads",
        "s3://uploads:9000",
        "s3://uploads/../else",
        "s3://uploads//a",
        "s3://uploads/a b",
        "s3://uploads?allow=http",
        "s3://uploads#zz-secret",
    ],
)
def test_an_address_that_names_no_bucket_is_refused_and_not_repeated(address: str) -> None:
    with pytest.raises(SettingsError, match=r"^PORTAL_FILES_URL takes an address such as") as refusal:
        read(address, KEYS)
    assert "zz-" not in str(refusal.value)


@pytest.mark.parametrize(
    ("environ", "said"),
    [
        ({"AWS_ACCESS_KEY_ID": "zz-key"}, "both or"),
        ({"AWS_SECRET_ACCESS_KEY": "zz-secret"}, "both or"),
        ({"AWS_ENDPOINT_URL": "http://s3.example.edu"}, r"in the clear: AWS_ENDPOINT_URL begins with http://.*\?http="),
        ({"AWS_ENDPOINT_URL_S3": "http://10.0.0.1", "AWS_ENDPOINT_URL": "https://x.example"}, "AWS_ENDPOINT_URL_S3"),
        ({"AWS_ENDPOINT_URL": "https://zz-key:zz-secret@s3.example.edu"}, "without user or password"),
        ({"AWS_ENDPOINT_URL": "https://zz-key@s3.example.edu:port"}, "without user or password"),
        ({"AWS_ENDPOINT_URL": "s3.example.edu"}, "AWS_ENDPOINT_URL"),
    ],
)
def test_an_environment_that_would_not_do_is_refused_at_the_start(environ: dict[str, str], said: str) -> None:
    with pytest.raises(SettingsError, match=f"^PORTAL_FILES_URL .*{said}") as refusal:
        read("s3://uploads", environ)
    assert "zz-" not in str(refusal.value)


def test_what_stands_in_the_environment_for_others_is_no_matter_where_files_are_in_a_folder() -> None:
    assert read("", {"AWS_ACCESS_KEY_ID": "zz-key", "AWS_ENDPOINT_URL": "http://s3.example.edu"}) is None
