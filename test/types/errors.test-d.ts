import {
  ApiError,
  NotFoundError,
  TemplatePdfError,
  TimeoutError,
  type TimeoutPhase,
  type Timeouts,
  ValuesError,
} from "template-pdf";
import { expectTypeOf } from "vitest";

// `is` narrows a caught value to its class.
export function read(error: unknown): void {
  // @ts-expect-error: a caught value can be anything
  error.code;
  if (NotFoundError.is(error)) {
    expectTypeOf(error).toEqualTypeOf<NotFoundError>();
    expectTypeOf<typeof error.code>().toEqualTypeOf<"not_found">();
    expectTypeOf(error.status).toEqualTypeOf<number>();
    expectTypeOf(error.body).toEqualTypeOf<unknown>();
  } else if (ApiError.is(error)) {
    expectTypeOf(error.headers).toEqualTypeOf<Headers | undefined>();
    expectTypeOf(error.retryAfterMs).toEqualTypeOf<number | undefined>();
  } else if (TimeoutError.is(error)) {
    expectTypeOf(error.phase).toEqualTypeOf<"connect" | "firstByte" | "stall" | "unread" | "total">();
    expectTypeOf<TimeoutPhase>().toEqualTypeOf<keyof Timeouts>();
    expectTypeOf(error.limitMs).toEqualTypeOf<number>();
  } else if (ValuesError.is(error)) {
    const [issue] = error.issues;
    expectTypeOf<NonNullable<typeof issue>["path"]>().toEqualTypeOf<readonly (string | number)[]>();
    // @ts-expect-error: `issues` is readonly
    error.issues.push({ path: [], message: "" });
  } else if (TemplatePdfError.is(error)) {
    expectTypeOf(error).toExtend<Error>();
    // @ts-expect-error: not every error has a status
    const status: number = error.status;
    void status;
  }
}
