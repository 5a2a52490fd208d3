import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";

const repository = fileURLToPath(new URL("../..", import.meta.url));
const read = (path: string) => readFileSync(join(repository, path), "utf8");
const manifest = JSON.parse(read("package.json"));

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}

interface Job {
  readonly permissions?: unknown;
  readonly "timeout-minutes"?: number;
  readonly steps: readonly Step[];
  readonly strategy?: {
    readonly matrix: {
      readonly os: readonly string[];
      readonly node: readonly string[];
      readonly include: readonly { readonly node: string }[];
    };
  };
}

interface Workflow {
  readonly permissions?: unknown;
  readonly concurrency?: unknown;
  readonly jobs: Readonly<Record<string, Job>>;
}

const folder = ".github/workflows";
const workflows = readdirSync(join(repository, folder)).map((name) => {
  const text = read(`${folder}/${name}`);
  return { name, text, workflow: parse(text) as Workflow };
});
const jobs = workflows.flatMap(({ name, workflow }) =>
  Object.entries(workflow.jobs).map(([id, job]) => ({ place: `${name}: ${id}`, job })),
);
const steps = jobs.flatMap(({ place, job }) => job.steps.map((step) => ({ place, step })));

describe("the workflows on GitHub", () => {
  it("are these", () => {
    expect(workflows.map(({ name }) => name)).toEqual([
      "docs.yml",
      "release.yml",
      "runtimes.yml",
      "verify.yml",
    ]);
  });

  it("run no action that could change under its name", () => {
    const uses = workflows.flatMap(({ name, text }) =>
      [...text.matchAll(/\buses: *(.+)$/gm)].map(([, action = ""]) => ({ name, action })),
    );
    expect(uses).toHaveLength(steps.filter(({ step }) => step.uses).length);
    const pinned = /^[\w-]+\/[\w-]+@[\da-f]{40} # v\d+\.\d+\.\d+$/;
    expect(uses.filter(({ action }) => !pinned.test(action))).toEqual([]);
  });

  it("take one version of each action", () => {
    const versions = new Set(steps.flatMap(({ step }) => step.uses ?? []));
    const actions = [...versions].map((version) => version.replace(/@.*/, ""));
    expect(actions).toEqual([...new Set(actions)]);
  });

  it("may do nothing that a job does not ask for", () => {
    expect(workflows.filter(({ workflow }) => JSON.stringify(workflow.permissions) !== "{}")).toEqual([]);
    const silent = jobs.filter(({ job }) => typeof job.permissions !== "object");
    expect(silent.map(({ place }) => place)).toEqual([]);
  });

  it("give nothing that a pull request may run the right to write", () => {
    const asked = workflows.filter(({ workflow }) => "pull_request" in Object(Object(workflow)["on"]));
    expect(asked.map(({ name }) => name)).toEqual(["docs.yml", "runtimes.yml", "verify.yml"]);
    const writing = asked.flatMap(({ name, workflow }) =>
      Object.entries(workflow.jobs)
        .filter(([, job]) => JSON.stringify(job.permissions).includes("write"))
        .map(([id, job]) => `${name}: ${id} if ${Object(job).if}`),
    );
    expect(writing).toEqual(["docs.yml: deploy if github.event_name == 'push'"]);
  });

  it("publish where nothing of the repository runs", () => {
    const trusted = jobs.filter(({ job }) => Object(job.permissions)["id-token"] === "write");
    expect(trusted.map(({ place }) => place)).toEqual(["docs.yml: deploy", "release.yml: publish"]);
    const commands = trusted.flatMap(({ job }) => job.steps.flatMap(({ run }) => run ?? []));
    expect(commands).toEqual(["npm publish ./*.tgz --provenance --access public"]);
    const uses = trusted.flatMap(({ job }) => job.steps.flatMap(({ uses: action }) => action ?? []));
    expect(uses.filter((action) => action.startsWith("actions/checkout@"))).toEqual([]);
  });

  it("leave no key of theirs in a clone", () => {
    const clones = steps.filter(({ step }) => step.uses?.startsWith("actions/checkout@"));
    expect(clones.length).toBeGreaterThan(0);
    expect(clones.filter(({ step }) => step.with?.["persist-credentials"] !== false)).toEqual([]);
  });

  it("know no secret but their own token", () => {
    const secrets = workflows.flatMap(({ text }) => text.match(/\bsecrets\b\S*/g) ?? []);
    expect(secrets.filter((secret) => secret !== "secrets.GITHUB_TOKEN")).toEqual([]);
  });

  it("put nothing into a command that somebody else may have written", () => {
    expect(steps.filter(({ step }) => step.run?.includes("${{"))).toEqual([]);
  });

  it("end", () => {
    expect(workflows.filter(({ workflow }) => !workflow.concurrency).map(({ name }) => name)).toEqual([]);
    expect(jobs.filter(({ job }) => !job["timeout-minutes"]).map(({ place }) => place)).toEqual([]);
  });

  it("run scripts that are there", () => {
    const commands = steps.flatMap(({ step }) => [step.run ?? "", String(step.with?.["version"] ?? "")]);
    const scripts = commands.flatMap((command) => [...command.matchAll(/npm run ([\w:-]+)/g)]);
    expect(scripts.length).toBeGreaterThan(3);
    expect(scripts.filter(([, script = ""]) => !(script in manifest.scripts)).map(([line]) => line)).toEqual(
      [],
    );
    const files = commands.flatMap((command) => [...command.matchAll(/\bnode (\S+)/g)]);
    expect(files.length).toBeGreaterThan(0);
    for (const [, file = ""] of files) expect(() => read(file), file).not.toThrow();
  });
});

describe("the matrix of verify.yml", () => {
  const matrix = workflows.find(({ name }) => name === "verify.yml")?.workflow.jobs["verify"]?.strategy
    ?.matrix;

  it("holds the three kinds of machines, and every even version of Node since the oldest that is supported", () => {
    expect(matrix?.os).toEqual(["ubuntu-latest", "macos-latest", "windows-latest"]);
    expect(matrix?.node).toEqual(["20", "22", "24", "26"]);
  });

  it("holds the oldest versions that `engines` allows", () => {
    const oldest = [...manifest.engines.node.matchAll(/\d+\.\d+\.\d+/g)].map(([version]) => version);
    expect(oldest).toHaveLength(2);
    expect(matrix?.include.map(({ node }) => node)).toEqual(oldest);
  });
});

it("Dependabot renews actions and packages", () => {
  const { updates } = parse(read(".github/dependabot.yml"));
  const ecosystems = updates.map((update: Record<string, string>) => update["package-ecosystem"]);
  expect(ecosystems).toEqual(["github-actions", "npm"]);
});
