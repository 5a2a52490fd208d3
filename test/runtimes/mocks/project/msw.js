import { HttpResponse, http } from "msw";
import { setupServer } from "msw/node";

const server = setupServer();

export const requests = [];

export const start = () => server.listen({ onUnhandledRequest: "error" });

export const stop = () => server.close();

export function answer(url, status, headers, body) {
  server.use(
    http.post(url, async ({ request }) => {
      const { method } = request;
      requests.push({
        method,
        authorization: request.headers.get("authorization"),
        body: await request.json(),
      });
      return new HttpResponse(body, { status, headers });
    }),
  );
}
