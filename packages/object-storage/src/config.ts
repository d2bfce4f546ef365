import { join } from 'node:path';
import type { EnvReader } from '@calls/foundation/env-reader';
import { SHARED_VARIABLES } from '@calls/foundation/shared-variables';
import { InvalidVariableError, parsed, text } from '@calls/foundation/variable';

export type ObjectStorageConfig = FolderConfig | S3Config;

export interface FolderConfig {
  kind: 'folder';
  /** The folder that holds the objects; the services that write and read them share it. */
  directory: string;
}

export interface S3Config {
  kind: 's3';
  bucket: string;
  /** Prefix of all keys, without a slash at its end; may be empty. */
  prefix: string;
  /** Null: the endpoint of AWS. */
  endpoint: string | null;
  region: string | null;
  /** Whether the bucket is in the path of URLs instead of their host name. */
  forcePathStyle: boolean;
  /** Whether downloads are redirected to the storage. */
  redirectsDownloads: boolean;
  /** Null: the AWS SDK finds credentials. */
  credentials: { accessKeyId: string; secretAccessKey: string } | null;
}

type Location = Omit<S3Config, 'credentials'>;

const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/u;
const PREFIX = /^(?:[A-Za-z0-9][A-Za-z0-9._-]*(?:\/|$))*$/u;
const PARAMETERS = ['endpoint', 'region', 'forcePathStyle', 'redirectDownloads'];
const NO_LOCATION: Location = {
  ...{ kind: 's3', bucket: '', prefix: '', endpoint: null, region: null },
  ...{ forcePathStyle: false, redirectsDownloads: false },
};

const VARIABLES = {
  DATA_DIR: SHARED_VARIABLES.DATA_DIR,
  OBJECT_STORAGE_URL: parsed<Location, { unset: string }>({
    parse: parseLocation,
    placeholder: NO_LOCATION,
    unset: '`$OBJECT_STORAGE_DIR`',
    meaning: 'Bucket for objects, as in `s3://bucket/prefix?…`.',
  }),
  OBJECT_STORAGE_ACCESS_KEY_ID: text({
    unset: 'found by the AWS SDK',
    meaning: 'Access key id for `OBJECT_STORAGE_URL`.',
  }),
  OBJECT_STORAGE_SECRET_ACCESS_KEY: text({
    unset: 'found by the AWS SDK',
    meaning: 'Secret access key for `OBJECT_STORAGE_URL`.',
  }),
  OBJECT_STORAGE_DIR: text({
    unset: '`$DATA_DIR/objects`',
    meaning: 'Folder for recordings and uploads, which all machines share.',
  }),
};

/** Issues are collected in `env`; the caller calls `finish`. */
export function readObjectStorageConfig(env: EnvReader): ObjectStorageConfig {
  const values = env.read(VARIABLES);
  const { OBJECT_STORAGE_URL: location, OBJECT_STORAGE_DIR, DATA_DIR } = values;
  const accessKeyId = values.OBJECT_STORAGE_ACCESS_KEY_ID;
  const secretAccessKey = values.OBJECT_STORAGE_SECRET_ACCESS_KEY;
  if ((accessKeyId === null) !== (secretAccessKey === null)) {
    env.addIssue(
      'OBJECT_STORAGE_ACCESS_KEY_ID and OBJECT_STORAGE_SECRET_ACCESS_KEY must both be set, or neither of them',
    );
  }
  if (!location) {
    if (accessKeyId !== null) env.addIssue('OBJECT_STORAGE_ACCESS_KEY_ID requires OBJECT_STORAGE_URL');
    return { kind: 'folder', directory: OBJECT_STORAGE_DIR ?? join(DATA_DIR, 'objects') };
  }
  const credentials =
    accessKeyId === null || secretAccessKey === null ? null : { accessKeyId, secretAccessKey };
  return { ...location, credentials };
}

function parseLocation(value: string): Location {
  if (!URL.canParse(value)) throw new InvalidVariableError('must be a URL like s3://bucket/prefix');
  const { protocol, username, password, hostname: bucket, port, pathname, searchParams } = new URL(value);
  if (protocol !== 's3:') throw new InvalidVariableError('must be a URL that starts with s3:');
  if (username !== '' || password !== '') {
    throw new InvalidVariableError(
      'must not contain credentials; use OBJECT_STORAGE_ACCESS_KEY_ID and OBJECT_STORAGE_SECRET_ACCESS_KEY',
    );
  }
  if (port !== '' || !BUCKET.test(bucket)) {
    throw new InvalidVariableError(
      'must name a bucket of 3 to 63 lower-case letters, digits, dots and hyphens',
    );
  }
  const prefix = pathname.replace(/^\/|\/$/gu, '');
  if (!PREFIX.test(prefix)) {
    throw new InvalidVariableError(
      'must have a prefix of letters, digits, dots, hyphens, underscores and slashes',
    );
  }
  for (const name of searchParams.keys()) {
    if (!PARAMETERS.includes(name))
      throw new InvalidVariableError(
        `must not have the parameter "${name}" (possible: ${PARAMETERS.join(', ')})`,
      );
    if (searchParams.getAll(name).length > 1)
      throw new InvalidVariableError(`must have the parameter ${name} only once`);
  }
  return {
    kind: 's3',
    bucket,
    prefix,
    endpoint: endpointOf(searchParams),
    region: searchParams.get('region'),
    forcePathStyle: flagOf(searchParams, 'forcePathStyle'),
    redirectsDownloads: flagOf(searchParams, 'redirectDownloads'),
  };
}

function endpointOf(parameters: URLSearchParams): string | null {
  const endpoint = parameters.get('endpoint');
  if (endpoint === null) return null;
  if (URL.canParse(endpoint) && ['http:', 'https:'].includes(new URL(endpoint).protocol)) return endpoint;
  throw new InvalidVariableError('must have an endpoint that is a URL starting with https: or http:');
}

function flagOf(parameters: URLSearchParams, name: string): boolean {
  const value = parameters.get(name) ?? 'false';
  if (value === 'true' || value === 'false') return value === 'true';
  throw new InvalidVariableError(`must have ${name} true or false, not "${value}"`);
}
