import { HttpResponse, http } from "msw";
import { setupServer } from "msw/node";
import { type Carrier, plainHttp, type Receive } from "./service.ts";

/** The service as the tests of an app mock it: a handler of MSW for the one endpoint, and an error for the rest. */
export async function openMockedService(receive: Receive): Promise<Carrier> {
  const baseUrl = "https://pdf.example.com";

  const answer = async (request: Request): Promise<Response> => {
    const { method, url, headers } = request;
    const call = { method, path: url.slice(new URL(url).origin.length), headers: [...headers] };
    const reply = await receive(request, call);
    if (reply === "hang up") return HttpResponse.error();
    return reply instanceof Response ? reply : new Response(reply.body ?? null, reply);
  };

  const server = setupServer(
    http.post(`${baseUrl}/api/v1/templates/:uid/generate-sync`, ({ request }) => answer(request)),
    http.post(`${baseUrl}/a/prefix/api/v1/templates/:uid/generate-sync`, ({ request }) => answer(request)),
    http.all("*", ({ request }) =>
      request.headers.get("user-agent") === plainHttp["user-agent"] ? answer(request) : undefined,
    ),
  );
  server.listen({ onUnhandledRequest: "error" });
  return { baseUrl, close: async () => server.close() };
}
