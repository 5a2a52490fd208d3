import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    // The default of 5 s can be too short on a busy machine.
    testTimeout: 60_000,
    // The client reads the same variables in production. In the tests, MSW handles the requests to this URL.
    env: {
      TEMPLATE_PDF_BASE_URL: "https://pdf.example.com",
      TEMPLATE_PDF_API_KEY: "key-of-the-tests",
    },
  },
});
