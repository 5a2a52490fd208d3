import nock from "nock";

export const requests = [];

export const start = () => nock.disableNetConnect();

export function stop() {
  nock.enableNetConnect();
  nock.restore();
}

export function answer(url, status, headers, body) {
  const { origin, pathname } = new URL(url);
  nock(origin)
    .post(pathname)
    .reply(function (_path, sent) {
      const { method, headers: sentHeaders } = this.req;
      requests.push({ method, authorization: sentHeaders.authorization, body: sent });
      return [status, body, headers];
    });
}
