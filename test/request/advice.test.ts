import { describe, expect, it } from "vitest";
import { serverAdvice } from "../../src/request/advice.ts";

describe("The advice about a .env file", () => {
  it.each([
    ["TEMPLATE_PDF_API_KEY=secret-of-the-file", true],
    ["# first\n export TEMPLATE_PDF_API_KEY = 'secret-of-the-file'\n", true],
    [
      "TEMPLATE_PDF_API_KEY= \nTEMPLATE_PDF_API_KEYS=1\nTEMPLATE_PDF_ export API_KEY=1\nTEMPLATE_PDF_API_KEY",
      false,
    ],
    ["", false],
    [undefined, false], // A runtime that loads the file itself.
  ])("appears only if the file sets the variable (file content: %j)", (text, isAdvised) => {
    const { missingApiKey } = serverAdvice(text === undefined ? undefined : () => text);
    const inFile =
      "The API key is missing. The .env file sets TEMPLATE_PDF_API_KEY, but Node does not load it by default. Start your program with node --env-file=.env.";
    expect(missingApiKey() === inFile).toBe(isAdvised);
    expect(missingApiKey()).not.toContain("secret");
  });

  it("also concerns the base URL", () => {
    const { baseUrl } = serverAdvice(() => "TEMPLATE_PDF_BASE_URL=https://pdf.example.com");
    expect(baseUrl("")).toContain("The .env file sets TEMPLATE_PDF_BASE_URL");
  });
});
