import S3rver from '@20minutes/s3rver';
import v4 from '@20minutes/s3rver/lib/signature/v4.js';

/** An S3 server that verifies signatures, in its own process. */
const { PORT = '', DIRECTORY = '', BUCKET = '' } = process.env;

// The AWS SDK requests a bucket with a trailing slash, which this server omits from the signature.
const stringToSign = v4.getStringToSign;
v4.getStringToSign = (canonical, request) =>
  stringToSign({ ...canonical, uri: canonical.uri.replace(/^\/[^/]+$/u, '$&/') }, request);

const server = new S3rver({
  address: '127.0.0.1',
  port: Number(PORT),
  directory: DIRECTORY,
  silent: true,
  vhostBuckets: false,
  configureBuckets: [{ name: BUCKET }],
});
await server.run();
process.send?.('ready');
