import { afterAll, beforeAll } from '@jest/globals';
import { describeS3Storage } from '../support/s3-server/s3-conformance.ts';
import { startSwift, type Swift } from '../support/s3-server/swift.ts';

let swift: Swift;
beforeAll(async () => {
  swift = await startSwift();
}, 300_000);
afterAll(async () => swift[Symbol.asyncDispose]());

describeS3Storage('S3Storage on OpenStack Swift', () => swift.config);
