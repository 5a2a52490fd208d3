import { HttpResponse, http } from "msw";
import { setupServer } from "msw/node";

const url = `${process.env.TEMPLATE_PDF_BASE_URL}/api/v1/templates/:uid/generate-sync`;
const server = setupServer();

export const requests = [];

export function start() {
  server.listen({ onUnhandledRequest: "error" });
}

export function answer(status, contentType, body) {
  server.use(
    http.post(url, async ({ request }) => {
      requests.push({
        method: request.method,
        path: new URL(request.url).pathname,
        authorization: request.headers.get("authorization"),
        contentType: request.headers.get("content-type"),
        body: await request.json(),
      });
      return new HttpResponse(body, { status, headers: { "content-type": contentType } });
    }),
  );
}

export function stop() {
  server.close();
}
