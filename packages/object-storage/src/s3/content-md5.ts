import { createHash } from 'node:crypto';

/**
 * Replaces the checksum of an HTTP request by Content-MD5. The deletion of several objects requires a checksum of its body;
 * servers such as OpenStack Swift do not support the newer ones, which the AWS SDK sends.
 */
export function useContentMd5(request: unknown): void {
  if (!isHttpRequest(request)) return;
  const others = Object.entries(request.headers).filter(
    ([name]) => !/^x-amz-(?:sdk-)?checksum-/iu.test(name),
  );
  const md5 = createHash('md5').update(request.body).digest('base64');
  request.headers = { ...Object.fromEntries(others), 'content-md5': md5 };
}

interface HttpRequest {
  headers: Record<string, string>;
  body: string | Uint8Array;
}

function isHttpRequest(request: unknown): request is HttpRequest {
  return typeof request === 'object' && request !== null && 'headers' in request && 'body' in request;
}
