// Checked by the compiler, never run: every line below a `@ts-expect-error` has to be an error.
import { ApiError, NotFoundError, TemplatePdfError, TruncatedPdfError, ValuesError } from "template-pdf";
import { expectTypeOf } from "vitest";

// `is` narrows what was caught, to the class it is asked of.
export function read(error: unknown): void {
  // @ts-expect-error: anything may have been thrown
  error.code;
  if (NotFoundError.is(error)) {
    expectTypeOf(error).toEqualTypeOf<NotFoundError>();
    expectTypeOf<typeof error.code>().toEqualTypeOf<"not_found">();
    expectTypeOf(error.status).toEqualTypeOf<number>();
    expectTypeOf(error.body).toEqualTypeOf<unknown>();
  } else if (ApiError.is(error)) {
    expectTypeOf<[typeof error.detail, typeof error.headers]>().toEqualTypeOf<
      [string | undefined, Headers | undefined]
    >();
  } else if (ValuesError.is(error)) {
    expectTypeOf<typeof error.code>().toEqualTypeOf<"invalid_values">();
    const [issue] = error.issues;
    expectTypeOf<NonNullable<typeof issue>["path"]>().toEqualTypeOf<readonly (string | number)[]>();
    // @ts-expect-error: issues cannot be added
    error.issues.push({ path: [], message: "" });
  } else if (TruncatedPdfError.is(error)) {
    expectTypeOf<[typeof error.receivedBytes, typeof error.promisedBytes]>().toEqualTypeOf<
      [number, number | undefined]
    >();
  } else if (TemplatePdfError.is(error)) {
    const plain: Error = error;
    expectTypeOf(error.attempts).toEqualTypeOf<number>();
    // @ts-expect-error: not every error has an answer behind it
    const status: number = error.status;
    void [plain, status];
  }
}
