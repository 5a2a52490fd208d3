import { HttpResponse, http } from "msw";
import { setupServer } from "msw/node";

const server = setupServer();

export const start = () => server.listen({ onUnhandledRequest: "error" });

export const stop = () => server.close();

export function answer(url, status, headers, body) {
  server.use(http.post(url, () => new HttpResponse(body, { status, headers })));
}
