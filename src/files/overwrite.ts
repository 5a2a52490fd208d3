import { fileSystem } from "./file-system.ts";
import { openFile } from "./read-file.ts";

/** The size of a copied piece in bytes. */
const pieceBytes = 1024 * 1024;

/**
 * Replaces the content of a file that the system does not allow to be replaced as a whole. The file may be damaged if this fails.
 *
 * @param source - the path of the complete content
 */
export async function overwrite(path: string, source: string): Promise<void> {
  const { O_WRONLY, O_NOFOLLOW } = fileSystem().constants;
  const from = await openFile(source);
  try {
    // Another process may have put a link there.
    const to = await openFile(path, O_WRONLY | O_NOFOLLOW);
    try {
      const piece = new Uint8Array(pieceBytes);
      let length = 0;
      for (;;) {
        const { bytesRead } = await from.read(piece, 0, piece.length, length);
        if (bytesRead === 0) break;
        for (let at = 0; at < bytesRead; ) {
          at += (await to.write(piece, at, bytesRead - at, length + at)).bytesWritten;
        }
        length += bytesRead;
      }
      await to.truncate(length);
      await to.sync();
    } finally {
      await to.close();
    }
  } finally {
    await from.close();
  }
}
