import nock from "nock";

export const start = () => nock.disableNetConnect();

export function stop() {
  nock.enableNetConnect();
  nock.restore();
}

export function answer(url, status, headers, body) {
  const { origin, pathname } = new URL(url);
  nock(origin).post(pathname).reply(status, body, headers);
}
