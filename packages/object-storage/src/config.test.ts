import { describe, expect, it } from '@jest/globals';
import { EnvReader } from '@calls/foundation/env-reader';
import { readObjectStorageConfig, type ObjectStorageConfig } from './config.ts';

function read(env: Record<string, string>): ObjectStorageConfig {
  const reader = new EnvReader(env);
  const config = readObjectStorageConfig(reader);
  reader.finish();
  return config;
}

const KEYS = { OBJECT_STORAGE_ACCESS_KEY_ID: 'id', OBJECT_STORAGE_SECRET_ACCESS_KEY: 'secret' };

describe('readObjectStorageConfig', () => {
  it('uses a folder unless a bucket is set', () => {
    expect(read({ DATA_DIR: '/data' })).toEqual({ kind: 'folder', directory: '/data/objects' });
    expect(read({ OBJECT_STORAGE_DIR: '/shared' })).toEqual({ kind: 'folder', directory: '/shared' });
  });

  it('reads a bucket with its server and credentials', () => {
    expect(read({ OBJECT_STORAGE_URL: 's3://calls', OBJECT_STORAGE_DIR: '/ignored' })).toEqual({
      ...{ kind: 's3', bucket: 'calls', prefix: '', endpoint: null, region: null },
      ...{ forcePathStyle: false, redirectsDownloads: false, credentials: null },
    });
    const parameters = 'endpoint=http://minio:9000&region=eu-1&forcePathStyle=true&redirectDownloads=true';
    expect(read({ OBJECT_STORAGE_URL: `s3://my.calls/a/b_c/?${parameters}`, ...KEYS })).toEqual({
      ...{ kind: 's3', bucket: 'my.calls', prefix: 'a/b_c', endpoint: 'http://minio:9000', region: 'eu-1' },
      ...{ forcePathStyle: true, redirectsDownloads: true },
      credentials: { accessKeyId: 'id', secretAccessKey: 'secret' },
    });
  });

  it.each([
    ['calls', 'OBJECT_STORAGE_URL must be a URL like s3://bucket/prefix'],
    ['https://calls', 'OBJECT_STORAGE_URL must be a URL that starts with s3:'],
    [
      's3://id:secret@calls',
      'OBJECT_STORAGE_URL must not contain credentials; use OBJECT_STORAGE_ACCESS_KEY_ID',
    ],
    ['s3://a', 'OBJECT_STORAGE_URL must name a bucket of 3 to 63'],
    ['s3://calls:9000', 'OBJECT_STORAGE_URL must name a bucket of 3 to 63'],
    ['s3://calls/a%20b', 'OBJECT_STORAGE_URL must have a prefix of letters'],
    ['s3://calls/.unfinished', 'OBJECT_STORAGE_URL must have a prefix of letters'],
    [
      's3://calls?pathStyle=true',
      'OBJECT_STORAGE_URL must not have the parameter "pathStyle" (possible: endpoint',
    ],
    ['s3://calls?region=a&region=b', 'OBJECT_STORAGE_URL must have the parameter region only once'],
    ['s3://calls?endpoint=minio:9000', 'OBJECT_STORAGE_URL must have an endpoint that is a URL'],
    ['s3://calls?forcePathStyle=yes', 'OBJECT_STORAGE_URL must have forcePathStyle true or false, not "yes"'],
  ])('rejects %s', (url, message) => {
    expect(() => read({ OBJECT_STORAGE_URL: url })).toThrow(message);
  });

  it('rejects incomplete or unused credentials', () => {
    const url = { OBJECT_STORAGE_URL: 's3://calls' };
    expect(() => read({ ...url, OBJECT_STORAGE_ACCESS_KEY_ID: 'id' })).toThrow('must both be set');
    expect(() => read(KEYS)).toThrow('OBJECT_STORAGE_ACCESS_KEY_ID requires OBJECT_STORAGE_URL');
  });
});
