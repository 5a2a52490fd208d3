/**
 * Tools for testing programs that generate PDFs: a fake service, faults, fake documents, and a PDF text reader.
 *
 * @packageDocumentation
 */

export type { Bytes } from "../runtime/platform-types.ts";
export type { Fault } from "../service/faults/faults.ts";
export { assertWholePdf } from "./assert-whole-pdf.ts";
export { type FakePdfOptions, fakePdf } from "./fake-pdf.ts";
export { type FakeService, fakeService } from "./fake-service.ts";
export { type AfterBytes, type Failure, faults, type RateLimit, type Slowness } from "./faults.ts";
export type {
  FailOptions,
  FakeServiceOptions,
  ListeningService,
  ListenOptions,
  WaitOptions,
} from "./options.ts";
export { pdfText } from "./pdf-text.ts";
export type { ByUid, FakeCall, FakeCallOf } from "./typed-calls.ts";
