import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    // What the client reads in production, too. No test gets there: the services of the tests answer instead.
    env: {
      TEMPLATE_PDF_BASE_URL: "https://pdf.example.com",
      TEMPLATE_PDF_API_KEY: "key-of-the-tests",
    },
  },
});
