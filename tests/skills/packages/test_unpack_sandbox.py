"""What unpacks a stranger's package is confined as parsers are."""

from __future__ import annotations

from pathlib import Path

import pytest

from skills.packages import package
from skills.packages.package import PackageRefused
from tests.support.skills.packages import build_package, opening

HOUSE = Path(package.__file__).resolve().parents[2]
# By calls of the system, past Python's own functions.
ATTACKS = {
    "read": "os.open({secret!r}, os.O_RDONLY)",
    "make": "os.open({made!r}, os.O_CREAT | os.O_WRONLY, 0o666)",
    "remove": "os.unlink({secret!r})",
    "connect": "import ctypes; libc = ctypes.CDLL(None); os.fdopen(libc.socket(1, 1, 0))",
    "start": "os.posix_spawn('/bin/true', ['true'], {{}})",
    "limits": "import resource; assert resource.getrlimit(resource.RLIMIT_NPROC) == (0, 0); raise OSError",
}


@pytest.mark.parametrize("name", ATTACKS)
def test_what_takes_an_unpacker_over_gets_nowhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    secret = tmp_path / "secret_key"
    secret.write_text("s3cret")
    secret.chmod(0o666)
    attack = ATTACKS[name].format(secret=str(secret), made=str(tmp_path / "made"))
    source = Path(package.CHILD).read_text()
    source = source.replace("str(Path(__file__).resolve().parents[2])", repr(str(HOUSE)))
    before = '            return main(file, out, form) | {"refused": refused}\n'
    assert before in source
    after = f"            try:\n                {attack}\n            except (OSError, ValueError):\n"
    script = tmp_path / "unpack_child.py"
    script.write_text(
        source.replace(before, f"{after}                raise Refused('it was kept in')\n{before}")
    )
    monkeypatch.setattr(package, "CHILD", script)

    with pytest.raises(PackageRefused, match="it was kept in"), opening(build_package({})):
        pass
    assert secret.read_text() == "s3cret"
    assert not (tmp_path / "made").exists()
