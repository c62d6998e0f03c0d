"""``steersman run --continue`` goes on with what there is, and never quietly begins anew (PROTOCOL §7)."""


def run(steersman, *args):
    return steersman("run", *args, "-C", str(steersman.folder))


def test_with_no_session_there_is_nothing_to_continue_and_nothing_is_begun(steersman):
    done = run(steersman, "go on", "--continue", "--model", steersman.script(["1"]))
    assert (done.returncode, done.stdout) == (64, "")
    assert "There is no session in this folder to go on with." in done.stderr
    assert (
        steersman("sessions", "list", "-C", str(steersman.folder), "--json").stdout == '{"sessions": [], "total": 0}\n'
    )


def test_below_a_folder_with_sessions_continue_names_that_folder(steersman):
    run(steersman, "one", "--model", steersman.script(["1"]))
    below = steersman.folder / "a" / "b"
    below.mkdir(parents=True)
    done = steersman("run", "go on", "--continue", "-C", str(below))
    above = steersman.folder.resolve()
    assert done.returncode == 64
    assert f"The folder above ({above}) has 1 session; use -C {above}." in done.stderr
