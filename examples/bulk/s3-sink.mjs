// A sink that streams every document to S3 while it comes: npm install template-pdf @aws-sdk/client-s3 @aws-sdk/lib-storage
//   const summary = await runBulk({ client, jobs, key: ({ values }) => values.number, sink: s3Sink(new S3Client(), "invoices"), journal: "run.journal" });
import { Upload } from "@aws-sdk/lib-storage";

/**
 * @param {import("@aws-sdk/client-s3").S3Client} client
 * @param {string} bucket - give it a lifecycle rule that aborts incomplete multipart uploads: a process that is killed leaves them
 * @returns {import("template-pdf/bulk").Sink}
 */
export function s3Sink(client, bucket) {
  return {
    // A journal that was begun for another bucket is refused.
    place: `s3://${bucket}`,
    async put(key, pdf) {
      // The document's own failure, or an abort of the run, fails the upload, which then removes its parts.
      const Body = await pdf.nodeStream();
      const params = { Bucket: bucket, Key: `${key}.pdf`, Body, ContentType: "application/pdf" };
      // One part of 5 MiB in memory for each document in hand, not four.
      await new Upload({ client, params, queueSize: 1 }).done();
    },
  };
}
