#!/usr/bin/env python3
"""Tests the templates that run linkherd elsewhere. Runs the steps of action.yml as GitHub's runner does, and the GitLab
job, the pre-commit hooks and the batch jobs as their systems do, with the built program. Tools that know the formats
check systemd's units and all YAML files.

usage: ci_templates_test.py PROGRAM

Names the tools that are not installed and skips their checks. Exits with 77 if Python cannot read YAML."""

import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest
from pathlib import Path

try:
    import yaml
except ImportError:
    print("skipped: there is no python3-yaml")
    sys.exit(77)

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(sys.argv.pop(1)).resolve() if len(sys.argv) > 1 else ROOT / "build/release/linkherd"
PATIENCE = 120  # seconds, on a busy machine
SYSTEM_PATH = "/usr/bin:/bin"


def read_yaml(name):
    return yaml.safe_load((ROOT / name).read_text())


def document_blocks(language):
    """Returns the fenced code blocks of README.md and docs/ in that language."""
    documents = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    return [block for document in documents
            for block in re.findall(rf"^```{language}\n(.*?)^```$", document.read_text(), re.MULTILINE | re.DOTALL)]


class Folder(unittest.TestCase):
    """Each test has its own repository."""

    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="linkherd-packaging-"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.work = self.folder / "work"
        self.write("docs/guide.md", "# Guide\n\n[itself](#guide)\n")
        self.write("README.md", "[the guide](docs/guide.md)\n")
        subprocess.run(["git", "init", "-q", self.work], check=True)

    def write(self, name, text):
        path = self.work / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def add(self):
        subprocess.run(["git", "-C", self.work, "add", "-A"], check=True)

    def run_shell(self, options, script, environment):
        file = self.folder / "step.sh"
        file.write_text(script)
        return subprocess.run(["bash", *options, file], cwd=self.work, env=environment, capture_output=True, text=True,
                              timeout=PATIENCE, stdin=subprocess.DEVNULL)


class GitHub(Folder):
    """A runner that evaluates the few kinds of expressions in action.yml and gives each step its files."""

    action = read_yaml("action.yml")
    archive = None

    @classmethod
    def setUpClass(cls):
        cls.shared = Path(tempfile.mkdtemp(prefix="linkherd-packaging-"))
        cls.addClassCleanup(shutil.rmtree, cls.shared)
        cls.archive = cls.shared / "linkherd.tar.gz"
        with tarfile.open(cls.archive, "w:gz", compresslevel=1) as archive:
            archive.add(PROGRAM, "linkherd-0/bin/linkherd")
        cls.sum = hashlib.sha256(cls.archive.read_bytes()).hexdigest()

    def evaluate(self, text, inputs, github=None):
        known = {f"inputs.{name}": value for name, value in inputs.items()}
        known |= {"github.token": "t0ken", "github.action_repository": "", "github.server_url": "https://127.0.0.1:9", "runner.temp":
                  str(self.folder / "temp")}
        known |= {f"github.{name}": value for name, value in (github or {}).items()}

        def value(match):
            expression = match[1].strip()
            if expression.endswith(" == 'true'"):
                return str(known[expression.removeprefix("always() && ").split()[0]] == "true").lower()
            return known.get(expression, "")

        return re.sub(r"\$\{\{(.*?)\}\}", value, str(text))

    def run_action(self, github=(), **given):
        inputs = {name: self.evaluate(of.get("default", ""), {}) for name, of in self.action["inputs"].items()}
        self.assertLessEqual(set(given), set(inputs))
        inputs |= {"archive": str(self.archive), "sha256": self.sum} | given
        (self.folder / "temp").mkdir(exist_ok=True)
        path = f"{self.folder}/programs:{SYSTEM_PATH}"
        self.outputs, self.summary, self.out, self.err = {}, "", "", ""
        self.cached = []
        exit_code = 0
        for number, step in enumerate(self.action["runs"]["steps"]):
            wanted = self.evaluate(step.get("if", "true"), inputs) == "true"
            if not wanted or (exit_code != 0 and "always()" not in step.get("if", "")):
                continue
            if "uses" in step:
                self.cached.append((step["uses"].split("@")[0], self.evaluate(step["with"]["path"], inputs)))
                continue
            self.assertEqual(step["shell"], "bash")
            files = {name: self.folder / f"{name}-{number}" for name in ("GITHUB_OUTPUT", "GITHUB_PATH", "GITHUB_STEP_SUMMARY")}
            for file in files.values():
                file.touch()
            environment = {"PATH": path, "HOME": str(self.folder), "CI": "true", "GITHUB_ACTIONS": "true", "GITHUB_WORKSPACE": str(self.work),
                           "GITHUB_ACTION_PATH": str(ROOT), "RUNNER_TEMP": str(self.folder / "temp"),
                           **{name: str(file) for name, file in files.items()},
                           **{name: self.evaluate(text, inputs, dict(github)) for name, text in step["env"].items()}}
            result = self.run_shell(["--noprofile", "--norc", "-eo", "pipefail"], step["run"], environment)
            exit_code = exit_code or result.returncode
            self.out += result.stdout
            self.err += result.stderr
            self.summary += files["GITHUB_STEP_SUMMARY"].read_text()
            self.outputs |= dict(line.split("=", 1) for line in files["GITHUB_OUTPUT"].read_text().splitlines())
            path = ":".join([*reversed(files["GITHUB_PATH"].read_text().split("\n")[:-1]), path])
        return exit_code

    def test_text_of_callers_is_never_shell_code(self):
        for step in self.action["runs"]["steps"]:
            self.assertNotIn("${{", step.get("run", ""))

    def test_inputs_include_those_of_lychee_action(self):
        theirs = {"args", "debug", "fail", "failIfEmpty", "format", "jobSummary", "output", "checkbox", "token", "workingDirectory"}
        self.assertLessEqual(theirs, set(self.action["inputs"]))
        self.assertEqual(self.action["outputs"]["exit_code"]["value"], "${{ steps.check.outputs.exit_code }}")

    def test_a_run_without_broken_links_passes_and_saves_the_store(self):
        self.add()
        self.assertEqual(self.run_action(), 0, self.err)
        self.assertEqual(self.outputs, {"exit_code": "0"})
        self.assertIn("## linkherd: ", self.summary)
        self.assertIn("## linkherd: ", (self.work / "linkherd/out.md").read_text())
        store = str(self.folder / "temp/linkherd/store")
        self.assertEqual(self.cached, [("actions/cache/restore", store), ("actions/cache/save", store)])
        self.assertTrue(Path(store, "linkherd-store").exists())

    def test_a_broken_link_fails_the_job_and_saves_the_store(self):
        self.write("docs/guide.md", "[gone](nowhere.md)\n")
        self.add()
        self.assertEqual(self.run_action(format="json", output="a report/out.json"), 2, self.err)
        self.assertEqual(self.outputs, {"exit_code": "2"})
        self.assertIn("::error file=docs/guide.md,line=1", self.out)
        self.assertIn("docs/guide.md", self.summary)
        self.assertEqual(json.loads((self.work / "a report/out.json").read_text())["outcome"]["exit_code"], 2)
        self.assertEqual(self.cached[-1][0], "actions/cache/save")

    def test_without_fail_the_job_passes_and_outputs_the_exit_code(self):
        self.write("docs/guide.md", "[gone](nowhere.md)\n")
        self.assertEqual(self.run_action(fail="false", jobSummary="false", cache="false", output="", args="--no-store docs/guide.md"), 0)
        self.assertEqual(self.outputs, {"exit_code": "2"})
        self.assertEqual((self.summary, self.cached), ("", []))
        self.assertFalse((self.work / "linkherd").exists())

    def test_the_report_is_not_written_through_a_symbolic_link_out_of_the_workspace(self):
        outside = self.folder / "outside"
        outside.mkdir()
        (outside / "out.md").write_text("untouched")
        (self.work / "linkherd").symlink_to(outside)
        self.assertEqual(self.run_action(args="--no-store docs/guide.md"), 3)
        self.assertIn("::error title=linkherd::The input 'output' leads out of the workspace", self.out)
        self.assertEqual(self.run_action(args="--no-store docs/guide.md", output="linkherd/new/out.md"), 3)
        (self.work / "linkherd").unlink()
        (self.work / "linkherd").mkdir()
        for target in ("../../outside/out.md", "../../outside/new.md"):  # the second one does not exist
            (self.work / "linkherd/out.md").symlink_to(target)
            self.assertEqual(self.run_action(args="--no-store docs/guide.md"), 3)
            (self.work / "linkherd/out.md").unlink()
        self.assertEqual([file.name for file in outside.iterdir()], ["out.md"])
        self.assertEqual((outside / "out.md").read_text(), "untouched")
        self.assertEqual(self.run_action(args="--no-store docs/guide.md", output=str(outside / "out.md")), 0, self.err)  # allowed

    def git(self, *words):
        subprocess.run(["git", "-C", self.work, "-c", "user.name=a", "-c", "user.email=a@b.c", *words], check=True, capture_output=True)

    def test_a_pull_request_is_checked_for_its_own_changes(self):
        pull_request = {"event_name": "pull_request", "base_ref": "main"}
        self.write("docs/old.md", "[was broken before](nowhere.md)\n")
        self.add()
        self.git("commit", "-q", "-m", "base")
        self.git("update-ref", "refs/remotes/origin/main", "HEAD")
        self.write("docs/new.md", "[guide](guide.md)\n")
        self.add()
        self.git("commit", "-q", "-m", "a page")
        self.assertEqual(self.run_action(github=pull_request), 0, self.err)
        self.assertEqual(self.run_action(github={"event_name": "push", "base_ref": ""}), 2)
        self.assertEqual(self.run_action(**{"changed-since": "off"}, github=pull_request), 2)
        self.assertEqual(self.run_action(**{"changed-since": "HEAD~1"}), 0, self.err)
        self.assertEqual(self.run_action(**{"changed-since": "$(touch pwned)"}), 3)
        self.git("rm", "-q", "docs/guide.md")
        self.assertEqual(self.run_action(github=pull_request), 2)
        self.assertIn("::error file=README.md,line=1", self.out)
        self.assertIn("broken by this change, which removes docs/guide.md", self.out)
        self.assertIn("(and 1 more occurrence)", self.out)
        self.assertNotIn("::error file=docs/old.md", self.out)
        self.git("update-ref", "-d", "refs/remotes/origin/main")  # as in a shallow clone
        self.assertEqual(self.run_action(github=pull_request), 2)
        self.assertIn("::notice title=linkherd::All links are checked", self.out)
        self.assertIn("::error file=docs/old.md", self.out)
        self.assertEqual([file.name for file in self.folder.rglob("pwned")], [])

    def test_inputs_without_links_fail_unless_allowed(self):
        self.write("empty.md", "nothing here\n")
        self.assertEqual(self.run_action(args="empty.md"), 1)
        self.assertEqual(self.run_action(args="empty.md", failIfEmpty="false"), 0, self.err)
        self.assertEqual(self.run_action(args="list.md", workingDirectory="docs"), 1)  # does not exist

    def test_arguments_are_split_into_words_and_never_executed(self):
        self.write("docs/a list.md", "[guide](guide.md)\n")
        self.assertEqual(self.run_action(args="'docs/a list.md'\n--offline  docs/*.md"), 0, self.err)
        self.run_action(args="docs/guide.md; touch pwned", workingDirectory=".")
        self.run_action(args="$(touch pwned) `touch pwned` --exclude '$(touch pwned)'", format="x\"; touch pwned; \"", output="$(touch pwned)",
                        token="\"; touch pwned; \"")
        self.run_action(linkherdVersion="$(touch pwned)", archive="", sha256="")
        self.assertEqual([file.name for file in self.folder.rglob("pwned")], [])

    def run_with_issues(self, label, open_issue="", refused=""):
        """Runs the action with a stand-in for gh that has this issue open. Returns the calls that change something."""
        calls = self.folder / "calls"
        calls.write_text("")
        gh = self.folder / "programs/gh"
        gh.parent.mkdir(exist_ok=True)
        gh.write_text(f"""#!/bin/bash
[ "$GITHUB_TOKEN" = t0ken ] || exit 4
[ "$1 $2" != '{refused}' ] || exit 1
if [ "$1 $2" = "issue list" ]; then echo '{open_issue}'; exit; fi
words=("${{@//"$RUNNER_TEMP"/TEMP}}")
printf '%s|' "${{words[@]}}" >>{calls}
echo >>{calls}
""")
        gh.chmod(0o755)
        self.exit_code = self.run_action(issue=label, fail="false")
        return calls.read_text().splitlines()

    def test_one_issue_is_opened_updated_and_closed(self):
        self.write("docs/guide.md", "[gone](nowhere.md)\n")
        self.add()
        body = self.folder / "temp/linkherd/issue.md"
        self.assertEqual(self.run_with_issues("a label"), [
            "label|create|a label|--description|Broken links found by linkherd|",
            "issue|create|--title|Broken links|--label|a label|--body-file|TEMP/linkherd/issue.md|"])
        self.assertIn("nowhere.md", body.read_text())
        self.assertEqual(self.run_with_issues("a label", open_issue="7"), ["issue|edit|7|--body-file|TEMP/linkherd/issue.md|"])
        self.write("docs/guide.md", "# Guide\n")
        self.assertEqual(self.run_with_issues("a label", open_issue="7"), [
            "issue|edit|7|--body-file|TEMP/linkherd/issue.md|", "issue|close|7|"])
        self.assertIn("All links are fine", body.read_text())
        self.assertEqual(self.run_with_issues("a label"), [])
        self.assertNotIn("::warning", self.out)

    def test_an_unwritable_issue_is_a_warning_and_no_failure(self):
        self.write("docs/guide.md", "[gone](nowhere.md)\n")
        self.add()
        self.assertEqual(self.run_with_issues("label", refused="issue create")[1:], [])
        self.assertEqual((self.exit_code, self.outputs), (0, {"exit_code": "2"}))
        self.assertIn("::warning title=linkherd::", self.out)
        self.assertEqual(self.run_with_issues("$(touch pwned)", refused="issue list"), [])
        self.assertEqual([file.name for file in self.folder.rglob("pwned")], [])

    def test_a_wrong_checksum_fails_the_installation(self):
        self.assertEqual(self.run_action(sha256="0" * 64), 1)
        self.assertIn("::error", self.out)
        self.assertFalse((self.folder / "temp/linkherd/program").exists())
        Path(f"{self.archive}.sha256").write_text(f"{self.sum}  linkherd.tar.gz\n")
        self.add()
        self.assertEqual(self.run_action(sha256=""), 0, self.err)
        self.assertEqual(self.run_action(archive="http://127.0.0.1:9/a.tar.gz"), 1)


class WithoutTheAction(Folder):
    """Tests a step that calls linkherd without the action."""

    def check(self, *words, **environment):
        self.summary = self.folder / "summary.md"
        self.summary.write_text("of another step\n")
        return subprocess.run([PROGRAM, "check", "--no-store", *words], cwd=self.work, capture_output=True, text=True, timeout=PATIENCE,
                              env={"GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": str(self.summary), **environment})

    def test_annotations_and_summary_are_written_by_default(self):
        self.write("docs/guide.md", "[gone](nowhere.md)\n")
        result = self.check("docs/guide.md")
        self.assertEqual(result.returncode, 2)
        self.assertIn("::error file=docs/guide.md,line=1", result.stdout)
        self.assertRegex(self.summary.read_text(), "^of another step\n## linkherd: 1 of 1 link")
        self.assertIn("::error", self.check("docs/guide.md", GITHUB_STEP_SUMMARY="/nonexistent/summary").stdout)

    def test_other_output_options_replace_annotations_and_summary(self):
        self.write("docs/guide.md", "[gone](nowhere.md)\n")
        for words in (["--format", "text"], ["--all"], ["--output", "csv:links.csv"], ["-q"]):
            result = self.check(*words, "docs/guide.md")
            self.assertEqual((result.returncode, "::error" in result.stdout), (2, False))
            self.assertEqual(self.summary.read_text(), "of another step\n")
        self.assertNotIn("::error", self.check("docs/guide.md", GITHUB_ACTIONS="").stdout)


class PreCommit(Folder):
    hooks = {hook["id"]: hook for hook in read_yaml(".pre-commit-hooks.yaml")}

    def run_hook(self, name, files):
        hook = self.hooks[name]
        chosen = [file for file in files if re.search(hook["files"], file)]
        environment = {"PATH": f"{PROGRAM.parent}:{SYSTEM_PATH}", "HOME": str(self.folder)}
        return subprocess.run([*shlex.split(hook["entry"]), *hook["args"], *chosen], cwd=self.work, env=environment, capture_output=True, text=True,
                              timeout=PATIENCE)

    def test_a_file_name_is_never_an_option(self):
        self.write("evil.md", "notify = 'touch pwned'\nchanges_only = true\n")
        self.write("-cevil.md", "[gone](nowhere.md)\n")
        for name in self.hooks:
            self.assertEqual(self.hooks[name]["args"][-1], "--")
            result = self.run_hook(name, ["-cevil.md"])
            self.assertEqual(result.returncode, 2, result.stderr)
            self.assertIn("-cevil.md:1", result.stdout)
        self.assertFalse((self.work / "pwned").exists())

    def test_hooks_check_only_documents_and_report_broken_links(self):
        self.write("notes.py", "[gone](nowhere.md)\n")
        self.add()
        for name in ("linkherd-offline", "linkherd"):
            result = self.run_hook(name, ["README.md", "docs/guide.md", "notes.py", "removed.md"])
            self.assertEqual(result.returncode, 0, result.stderr)
        self.write("README.md", "[gone](docs/guide.md#install)\n")
        result = self.run_hook("linkherd-offline", ["README.md"])
        self.assertEqual(result.returncode, 2)
        self.assertIn("README.md:1", result.stdout)


class GitLab(Folder):
    job = read_yaml("packaging/gitlab/linkherd.yml")["linkherd"]

    def run_job(self, arguments):
        script = "\n".join([*self.job["before_script"], *self.job["script"]])
        environment = {"PATH": f"{PROGRAM.parent}:{SYSTEM_PATH}", "HOME": str(self.folder), "CI": "true",
                       **{name: str(value) for name, value in self.job["variables"].items()}, "LINKHERD_ARGS": arguments}
        return self.run_shell(["--noprofile", "--norc", "-eo", "pipefail"], script, environment)

    def test_the_job_fails_on_a_broken_link_and_writes_its_reports(self):
        self.add()
        result = self.run_job(". --exclude $(touch${IFS}pwned)")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertTrue((self.work / self.job["cache"]["paths"][0] / "linkherd-store").exists())
        self.write("docs/guide.md", "[gone](nowhere.md)\n")
        result = self.run_job(".")
        self.assertEqual(result.returncode, 2, result.stderr)
        reports = self.job["artifacts"]["reports"]
        issue = json.loads((self.work / reports["codequality"]).read_text())[0]
        self.assertEqual(issue["location"]["path"], "docs/guide.md")
        self.assertIn("<testsuite", (self.work / reports["junit"]).read_text())
        self.assertEqual([self.job["artifacts"]["when"], self.job["cache"]["when"]], ["always", "always"])
        self.assertFalse((self.work / "pwned").exists())


class Batch(Folder):
    """Batch systems, which run the parts in any order; here one at a time. Private addresses: nothing is sent."""

    def setUp(self):
        super().setUp()
        self.environment = {"PATH": f"{PROGRAM.parent}:{SYSTEM_PATH}", "HOME": str(self.folder)}
        # Includes a broken link, which must not fail a part.
        self.write("lists/links.md", "".join(f"- [{n}](http://127.0.0.{n}/)\n" for n in range(1, 40)) + "[gone](nowhere.md)\n")

    def linkherd(self, *words):
        result = subprocess.run([PROGRAM, *words], cwd=self.work, env=self.environment, capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual(result.stderr.count("warning"), 0, result.stderr)
        return result.stdout

    def verdicts(self, report):
        verdicts = [(link["url"], link["health"], link["reason"]) for link in json.loads(report)["links"]]
        self.assertEqual(len(verdicts), 40)
        return sorted(verdicts)

    def of_one_run(self):
        return self.verdicts(self.linkherd("check", "--no-store", "--format", "json", "lists/"))

    def test_slurm_tasks_give_the_verdicts_of_one_run(self):
        def run_task(number, first=1):
            environment = {"SLURM_ARRAY_TASK_ID": number, "SLURM_ARRAY_TASK_COUNT": 3, "SLURM_ARRAY_TASK_MIN": first,
                           "SLURM_ARRAY_TASK_MAX": first + 2}
            return subprocess.run(["bash", ROOT / "packaging/batch/slurm.sh", "lists/"], cwd=self.work, capture_output=True, text=True,
                                  env=self.environment | {name: str(value) for name, value in environment.items()}, timeout=PATIENCE)

        for number in (2, 3, 1):
            self.assertEqual(run_task(number).returncode, 0)
        wrapped = re.search("--wrap '(.*)'", (ROOT / "packaging/batch/slurm.sh").read_text())[1]
        self.assertEqual(self.run_shell([], wrapped, self.environment).returncode, 0)
        self.assertEqual(self.verdicts(self.linkherd("report", "--store", "links.store", "--format", "json")), self.of_one_run())
        self.assertEqual(run_task(0, first=0).returncode, 3)

    def test_kubernetes_jobs_give_the_verdicts_of_one_run(self):
        def containers(name):
            return read_yaml(f"packaging/batch/{name}.yaml")["spec"]["template"]["spec"]["containers"]

        spec = read_yaml("packaging/batch/kubernetes-parts.yaml")["spec"]
        parts = {entry["name"]: entry["value"] for entry in containers("kubernetes-parts")[0]["env"]}
        self.assertEqual((parts, spec["completionMode"]), ({"LINKHERD_PARTS": str(spec["completions"])}, "Indexed"))

        def run(container, **environment):
            return subprocess.run(container["command"], cwd=self.work, env=self.environment | environment, capture_output=True, text=True,
                                  timeout=PATIENCE)

        for index in range(spec["completions"]):
            result = run(containers("kubernetes-parts")[0], **parts, JOB_COMPLETION_INDEX=str(index))
            self.assertEqual(result.returncode, 0, result.stderr)
        result = run(containers("kubernetes-merge")[0])
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("nowhere.md", (self.work / "report.html").read_text())
        self.assertEqual(self.verdicts(self.linkherd("report", "--store", "links.store", "--format", "json")), self.of_one_run())

    def test_spark_checks_each_link_once_and_each_site_in_one_part(self):
        """Uses a stand-in for Spark, which may not be installed: it has partitions and pipes them through a command."""
        (self.folder / "pyspark").mkdir()
        (self.folder / "pyspark/__init__.py").touch()
        (self.folder / "pyspark/sql.py").write_text(STAND_IN_OF_SPARK)
        self.write("links.txt", "".join(f"http://{host}.example.org:80/{n}\n" for n in range(5) for host in "ab") + "http://[\n\n" +
                   "".join(f"http://127.0.0.{n}/\n" for n in range(1, 20)))
        result = subprocess.run([sys.executable, ROOT / "packaging/batch/spark.py", "--parts", "3", "links.txt", "results", "--exclude",
                                 r"/[34]$", "--offline"], cwd=self.work, capture_output=True, text=True, timeout=PATIENCE,
                                env=self.environment | {"PYTHONPATH": str(self.folder)})
        self.assertEqual(result.returncode, 0, result.stderr)
        parts = [[json.loads(line) for line in file.read_text().splitlines()] for file in sorted((self.work / "results").iterdir())]
        self.assertEqual(len(parts), 3)
        self.assertEqual(sum(len(links) for links in parts), 10 + 19)
        self.assertEqual(sum(link["reason"] == "excluded" for links in parts for link in links), 4)
        self.assertEqual(sum(any("example.org" in link["url"] for link in links) for links in parts), 1)  # one site, one part


STAND_IN_OF_SPARK = """
import pathlib, shlex, subprocess

class Rdd:
    def __init__(self, parts): self.parts = parts
    def map(self, make): return Rdd([[make(x) for x in part] for part in self.parts])
    def values(self): return self.map(lambda pair: pair[1])
    def partitionBy(self, count, number):
        parts = [[] for _ in range(count)]
        for pair in sum(self.parts, []): parts[number(pair[0]) % count].append(pair)
        return Rdd(parts)
    def pipe(self, command, environment=None):
        def through(part):
            text = "".join(f"{x}\\n" for x in part)
            return subprocess.run(shlex.split(command), env=environment or {}, input=text, stdout=subprocess.PIPE, text=True).stdout.splitlines()
        return Rdd([through(part) for part in self.parts])
    def saveAsTextFile(self, folder):
        pathlib.Path(folder).mkdir()
        for number, part in enumerate(self.parts):
            pathlib.Path(folder, f"part-{number:05}").write_text("".join(f"{x}\\n" for x in part))

class SparkSession:
    class builder:
        appName = staticmethod(lambda name: SparkSession.builder)
        getOrCreate = staticmethod(lambda: SparkSession)
    class sparkContext:
        @staticmethod
        def textFile(path): return Rdd([pathlib.Path(path).read_text().splitlines()])
"""


class Tools(Folder):
    """Tools check linkherd's files in the formats that they know."""

    def look(self, *words, **options):
        if shutil.which(words[0]) is None:
            self.skipTest(f"there is no {words[0]}")
        result = subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE, **options)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        return result.stdout

    def test_yamllint_accepts_the_yaml_files(self):
        rules = "{extends: default, rules: {line-length: {max: 160}, document-start: disable, truthy: {check-keys: false}}}"
        self.look("yamllint", "--strict", "-d", rules, "action.yml", ".pre-commit-hooks.yaml", "packaging/gitlab/linkherd.yml",
                  *sorted((ROOT / "packaging/batch").glob("*.yaml")), cwd=ROOT)

    def test_shellcheck_accepts_the_shell_scripts(self):
        self.look("shellcheck", *sorted((ROOT / "packaging").rglob("*.sh")), *sorted((ROOT / "tests/packaging").glob("*.sh")))

    def test_actionlint_accepts_the_documented_workflows(self):
        for number, block in enumerate(document_blocks("yaml")):
            if "jobs:" not in block:
                continue
            self.write(f".github/workflows/{number}.yml", re.sub(r"uses: \S*linkherd@\S+", "uses: ./", block))
        self.write("action.yml", (ROOT / "action.yml").read_text())
        self.look("actionlint", "-no-color", cwd=self.work)

    def test_systemd_accepts_the_units_as_sandboxed(self):
        units = ROOT / "packaging/systemd"
        exposure = self.look("systemd-analyze", "security", "--offline=true", "--threshold=20", units / "linkherd.service")
        self.assertIn("Overall exposure level", exposure)
        # After installation, the program is on the path that systemd searches.
        text = (units / "linkherd.service").read_text().replace("ExecStart=linkherd ", f"ExecStart={PROGRAM} ")
        service = self.write("linkherd.service", re.sub("Documentation=.*\n", "", text))
        timer = self.write("linkherd.timer", (units / "linkherd.timer").read_text())
        self.look("systemd-analyze", "verify", service, timer)

    def test_the_command_of_the_service_runs(self):
        service = (ROOT / "packaging/systemd/linkherd.service").read_text()
        command = re.search("^ExecStart=linkherd (.*)$", service, re.MULTILINE)[1]
        state = self.folder / "state"
        state.mkdir()
        inputs = self.write("inputs", f"{self.work}/README.md\n")
        words = [word.replace("${STATE_DIRECTORY}", str(state)).replace("/etc/linkherd/inputs", str(inputs)) for word in command.split()]
        result = subprocess.run([PROGRAM, *words], cwd=state, capture_output=True, text=True, timeout=PATIENCE,
                                env={"XDG_CONFIG_HOME": str(self.folder / "etc")})
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertTrue((state / "store/linkherd-store").exists())


class Documents(unittest.TestCase):
    def test_examples_in_the_documents_use_existing_inputs_and_hooks(self):
        seen = set()
        for block in document_blocks("yaml"):
            text = yaml.safe_load(block)
            for job in text.get("jobs", {}).values() if isinstance(text, dict) else []:
                for step in job["steps"]:
                    if "linkherd@" in step.get("uses", ""):
                        self.assertLessEqual(set(step.get("with", {})), set(GitHub.action["inputs"]))
                        seen.add("action")
            for repository in text.get("repos", []):
                for hook in repository["hooks"]:
                    self.assertIn(hook["id"], PreCommit.hooks)
                    seen.add("pre-commit")
            if "include" in text:
                self.assertTrue((ROOT / text["include"][0]["file"].lstrip("/")).exists())
                self.assertLessEqual(set(text["linkherd"]["variables"]), set(GitLab.job["variables"]))
                seen.add("gitlab")
        self.assertEqual(seen, {"action", "pre-commit", "gitlab"})

    def test_the_container_uses_debian_and_an_ordinary_user(self):
        lines = (ROOT / "packaging/container/Containerfile").read_text().splitlines()
        words = [line.split() for line in lines if line and not line.startswith("#")]
        self.assertEqual([line[1] for line in words if line[0] == "FROM"], ["debian:12-slim"] * 2)
        self.assertNotIn([line[1] for line in words if line[0] == "USER"][-1:], [[], ["root"], ["0"]])

    def test_the_debian_changelog_has_the_version_of_the_project(self):
        version = re.search(r"project\(linkherd VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text())[1]
        self.assertTrue((ROOT / "packaging/debian/changelog").read_text().startswith(f"linkherd ({version}-1) "))


if __name__ == "__main__":
    unittest.main(verbosity=2)
