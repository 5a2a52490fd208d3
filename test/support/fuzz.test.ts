import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const folder = fileURLToPath(new URL("..", import.meta.url));

it("every property is one of those that npm run fuzz runs", () => {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) =>
    file.endsWith(".ts"),
  );
  const own = files.filter((file) => readFileSync(folder + file, "utf8").includes(`fc.${"assert"}(`));
  expect(own, "Write it with `property` of test/support/fuzz.ts").toEqual(["support/fuzz.ts"]);
});
