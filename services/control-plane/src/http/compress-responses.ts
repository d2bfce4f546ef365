import { constants } from 'node:zlib';
import compression from 'compression';

const MIN_BYTES = 1024;
/** JSON and YAML. Audio does not shrink, and ranges of it must be sent as stored. */
const COMPRESSED_TYPES = /[/+](?:json|yaml)\b|^application\/vnd\.oai\.openapi\b/u;
/** A page of 85 kB takes about 1 ms. */
const QUALITY = 4;
/** 256 KiB instead of 4 MiB. */
const BROTLI_WINDOW_BITS = 18;

/**
 * Compresses responses of GET requests. Only other methods reveal keys and secrets; these responses are not compressed,
 * because the size of a compressed response tells whether a secret resembles text that an attacker placed next to it.
 */
export const compressResponses = compression({
  threshold: MIN_BYTES,
  level: QUALITY,
  brotli: {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: QUALITY,
      [constants.BROTLI_PARAM_LGWIN]: BROTLI_WINDOW_BITS,
    },
  },
  filter: (request, response) => {
    const type = response.getHeader('Content-Type');
    return request.method === 'GET' && typeof type === 'string' && COMPRESSED_TYPES.test(type);
  },
});
