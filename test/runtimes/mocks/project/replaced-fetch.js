const realFetch = globalThis.fetch;
let respond;

export const requests = [];

export function start() {
  globalThis.fetch = async (input, init) => {
    const request = new Request(input, init);
    const { method, headers } = request;
    requests.push({ method, authorization: headers.get("authorization"), body: await request.json() });
    return respond();
  };
}

export function stop() {
  globalThis.fetch = realFetch;
}

export function answer(_url, status, headers, body) {
  respond = () => new Response(body, { status, headers });
}
