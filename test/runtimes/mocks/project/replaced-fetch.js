const realFetch = globalThis.fetch;
let respond;

export const requests = [];

export function start() {
  globalThis.fetch = async (input, init) => {
    const request = new Request(input, init);
    requests.push({
      method: request.method,
      path: new URL(request.url).pathname,
      authorization: request.headers.get("authorization"),
      contentType: request.headers.get("content-type"),
      body: await request.json(),
    });
    return respond();
  };
}

export function answer(status, contentType, body) {
  respond = () => new Response(body, { status, headers: { "content-type": contentType } });
}

export function stop() {
  globalThis.fetch = realFetch;
}
