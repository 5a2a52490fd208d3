import {
  ApiError,
  AuthenticationError,
  BadRequestError,
  ConfigurationError,
  ConnectionError,
  NotFoundError,
  OversizedPdfError,
  PermissionError,
  RateLimitError,
  ServerError,
  TemplatePdf,
  TemplatePdfError,
  ValuesError,
} from "template-pdf";
import { equal, holds, rejectionOf, thrownBy } from "./expect.mjs";

const byStatus = [
  [400, BadRequestError, "bad_request"],
  [401, AuthenticationError, "authentication_failed"],
  [403, PermissionError, "permission_denied"],
  [404, NotFoundError, "not_found"],
  [418, ApiError, "api_error"],
  [422, BadRequestError, "bad_request"],
  [429, RateLimitError, "rate_limited"],
  [500, ServerError, "server_error"],
  [503, ServerError, "server_error"],
];

export const errors = {};

for (const [status, kind, code] of byStatus) {
  errors[`${status} is told by its class, as ${code}`] = async (stage) => {
    const uid = await stage.template(String(status));
    const error = await rejectionOf(stage.client().generate(uid, stage.values).bytes());
    holds(kind.is(error) && error instanceof kind && ApiError.is(error), `Not of its class: ${error}`);
    equal([error.status, error.code, error.attempts], [status, code, 1], "status, code, attempts");
    equal(typeof error.body?.title, "string", "the title in the body");
    isDiscreet(error, stage);
  };
}

Object.assign(errors, {
  "a wrong key is told, and not shown": async (stage) => {
    const options = {
      baseUrl: stage.service,
      apiKey: "another-key-that-is-wrong",
      dangerouslyAllowBrowser: true,
    };
    const error = await rejectionOf(
      stage
        .client(options)
        .generate(await stage.template(), stage.values)
        .bytes(),
    );
    holds(AuthenticationError.is(error), `Not an AuthenticationError: ${error}`);
    holds(!`${error.stack}${JSON.stringify(error)}`.includes(options.apiKey), "It shows the key.");
  },

  "nobody listens: a ConnectionError": async (stage) => {
    const client = stage.client({ baseUrl: stage.unserved, apiKey: null });
    const error = await rejectionOf(client.generate("inv_2024", stage.values).bytes());
    holds(ConnectionError.is(error), `Not a ConnectionError: ${error}`);
    equal([error.code, error.attempts], ["connection_failed", 1], "code and attempts");
    isDiscreet(error, stage);
  },

  "an unknown option is told with the nearest known one": async (stage) => {
    const error = await thrownBy(() => new TemplatePdf({ baseURL: stage.service, apiKey: null }));
    holds(ConfigurationError.is(error) && TemplatePdfError.is(error), `Not a ConfigurationError: ${error}`);
    holds(/`baseUrl`/.test(error.message), `It does not name it: ${error.message}`);
  },

  "values that JSON would change are told with their place, and not sent": async (stage) => {
    const uid = await stage.template();
    const values = { lines: [{ amount: 1 }, { amount: Number.NaN }] };
    const error = await rejectionOf(stage.client().generate(uid, values).bytes());
    holds(ValuesError.is(error), `Not a ValuesError: ${error}`);
    equal(
      error.issues.map(({ path }) => path),
      [["lines", 1, "amount"]],
      "the places",
    );
    equal((await stage.seen(uid)).requests.length, 0, "how often the service was asked");
  },

  "a document that is too large is told": async (stage) => {
    const error = await rejectionOf(
      stage
        .client({ maxBytes: 1_000 })
        .generate(await stage.template(), stage.values)
        .bytes(),
    );
    holds(OversizedPdfError.is(error), `Not an OversizedPdfError: ${error}`);
  },
});

/** Neither key nor values may be in what an error shows. */
function isDiscreet(error, stage) {
  const shown = `${error.message}\n${error.stack}\n${JSON.stringify(error)}`;
  for (const secret of [stage.key, stage.values.total]) {
    holds(!shown.includes(secret), `It shows what it must not: ${error.message}`);
  }
}
