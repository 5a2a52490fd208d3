// A sink that streams each document to S3: npm install template-pdf @aws-sdk/client-s3 @aws-sdk/lib-storage
//   const summary = await runBulk({ client, jobs, key: ({ values }) => values.number, sink: s3Sink(new S3Client(), "invoices"), journal: "run.journal" });
import { Upload } from "@aws-sdk/lib-storage";

/**
 * @param {import("@aws-sdk/client-s3").S3Client} client
 * @param {string} bucket - a killed process leaves incomplete multipart uploads: add a lifecycle rule that aborts them
 * @returns {import("template-pdf/bulk").Sink}
 */
export function s3Sink(client, bucket) {
  return {
    // The run rejects a journal of another bucket.
    place: `s3://${bucket}`,
    async put(key, pdf) {
      // If the document fails or the run is aborted, the upload fails and removes its parts.
      const Body = await pdf.nodeStream();
      const params = { Bucket: bucket, Key: `${key}.pdf`, Body, ContentType: "application/pdf" };
      // Holds one part of 5 MiB in memory for each document in flight, instead of four.
      await new Upload({ client, params, queueSize: 1 }).done();
    },
  };
}
