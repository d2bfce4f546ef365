import { describe, expect, it } from '@jest/globals';
import { ConfigError, EnvReader, readEnvironment } from './env-reader.ts';
import {
  boolean,
  choice,
  integer,
  optional,
  portRange,
  publicUrl,
  secrets,
  text,
  url,
  within,
} from './variable.ts';

const TABLE = {
  PORT: integer({ default: 8080, min: 0, max: 65_535, meaning: 'port' }),
  CAPACITY: integer({ unset: 'measured', min: 1, max: 10, meaning: 'calls' }),
  IS_SHARED: boolean({ default: false, meaning: 'shared' }),
  LEVEL: choice({ values: ['info', 'warn'], default: 'info', meaning: 'level' }),
  RTP: portRange({ default: { first: 20_000, last: 21_999 }, meaning: 'ports' }),
  STORE: url({ protocols: ['http:'], meaning: 'store' }),
  KEYS: secrets({ meaning: 'keys' }),
};
const REQUIRED = { STORE: 'http://store', KEYS: 'an older secret!' };

describe('EnvReader', () => {
  it('uses defaults for variables that are unset or empty', () => {
    const values = readEnvironment({ ...REQUIRED, PORT: ' ', LEVEL: '' }, (env) => env.read(TABLE));
    expect(values).toEqual({
      PORT: 8080,
      CAPACITY: null,
      IS_SHARED: false,
      LEVEL: 'info',
      RTP: { first: 20_000, last: 21_999 },
      STORE: 'http://store',
      KEYS: ['an older secret!'],
    });
  });

  it('parses values of all types', () => {
    const env = {
      PORT: '1',
      CAPACITY: '10',
      IS_SHARED: '1',
      LEVEL: 'warn',
      RTP: '2000-2999',
      STORE: 'http://s/',
      KEYS: 'the newest secret, an older secret!',
    };
    expect(readEnvironment(env, (reader) => reader.read(TABLE))).toEqual({
      PORT: 1,
      CAPACITY: 10,
      IS_SHARED: true,
      LEVEL: 'warn',
      RTP: { first: 2000, last: 2999 },
      STORE: 'http://s/',
      KEYS: ['the newest secret', 'an older secret!'],
    });
  });

  it('reports all issues together, without duplicates', () => {
    const env = new EnvReader({
      PORT: '65536',
      CAPACITY: '1.5',
      IS_SHARED: 'yes',
      LEVEL: 'debug',
      RTP: '30-20',
      KEYS: 'short',
    });
    env.read(TABLE);
    env.read(TABLE);
    env.addIssue('PORT and CAPACITY do not fit');
    const issues: unknown[] = [];
    try {
      env.finish();
    } catch (thrown) {
      if (thrown instanceof ConfigError) issues.push(...thrown.issues);
    }
    expect(issues).toEqual([
      'PORT must be a whole number from 0 to 65535, not "65536"',
      'CAPACITY must be a whole number from 1 to 10, not "1.5"',
      'IS_SHARED must be true or false, not "yes"',
      'LEVEL must be one of info, warn, not "debug"',
      'RTP must be two ports from 1024 on, like 20000-21999, not "30-20"',
      'STORE is required',
      'KEYS must have at least 16 characters in each of its comma-separated secrets',
      'PORT and CAPACITY do not fit',
    ]);
  });

  it('accepts public addresses that paths can be added to, and removes slashes at their end', () => {
    const table = {
      API: publicUrl({ protocols: ['https:'], mayHavePath: false, meaning: 'API' }),
      MEDIA: publicUrl({ protocols: ['wss:'], mayHavePath: true, meaning: 'media' }),
    };
    const read = (API: string, MEDIA: string) =>
      readEnvironment({ API, MEDIA }, (reader) => reader.read(table));
    expect(read('https://api.test:443/', 'wss://a.test/media//')).toEqual({
      API: 'https://api.test:443',
      MEDIA: 'wss://a.test/media',
    });
    expect(() => read('https://api.test/api', 'wss://a.test/?region=eu')).toThrow(
      new ConfigError([
        'API must have no path, not "/api"',
        'MEDIA must have no user name, password, query or fragment',
      ]),
    );
    expect(() => read('api.test', 'wss://u:p@a.test#b')).toThrow(
      new ConfigError([
        'API must be a URL that starts with https:',
        'MEDIA must have no user name, password, query or fragment',
      ]),
    );
  });

  it('lists all declarations, including those of variables that were not read', () => {
    const env = new EnvReader({});
    env.read({ PORT: within(TABLE.PORT, 1, 1024), STORE: optional(TABLE.STORE, 'a local one') });
    env.declare({ NAME: text({ default: '', meaning: 'name' }) });
    env.finish();
    const shown = [...env.declared].map(([name, { defaultText, bounds }]) => [name, defaultText, bounds]);
    expect(shown).toEqual([
      ['PORT', '8080', '1 to 1,024'],
      ['STORE', 'a local one', ''],
      ['NAME', 'none', ''],
    ]);
  });
});
