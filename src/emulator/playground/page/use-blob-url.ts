import { useEffect, useState } from "preact/hooks";

/** Returns a URL under which the browser downloads and opens data. @param data - the same object until it changes */
export function useBlobUrl(data: BlobPart | undefined, type: string): string | undefined {
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    if (data === undefined) return setUrl(undefined);
    const created = URL.createObjectURL(new Blob([data], { type }));
    setUrl(created);
    return () => URL.revokeObjectURL(created);
  }, [data]);
  return url;
}
