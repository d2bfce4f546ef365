import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { HAS_PROGRAMS, helmTemplate } from '../support/kubernetes/programs.ts';
import { readText } from './deploy-containers.ts';

const CHART = 'deploy/helm/calls';
const needed = {
  image: { repository: 'registry.example.com/calls' },
  config: { PUBLIC_URL: 'https://api.example.com', MEDIA_PUBLIC_URL: 'wss://media.example.com' },
};

interface Schema {
  $defs: Record<string, Schema>;
  $ref?: string;
  properties?: Record<string, Schema>;
  additionalProperties?: unknown;
}

(HAS_PROGRAMS ? describe : describe.skip)('the values of the Helm chart', () => {
  it.each([
    ['no image', { image: { repository: '' } }, /image\/repository/u],
    ['no public address', { config: { PUBLIC_URL: null } }, /PUBLIC_URL/u],
    ['a misspelled value', { webrtc: { hostport: true } }, /hostport/u],
    ['a misspelled variable', { config: { ...needed.config, log_level: 'debug' } }, /log_level/u],
    ['a wrong type', { autoscaling: { minReplicas: 'two' } }, /minReplicas/u],
    ['a longer drain than DRAIN_LIMIT_MS allows', { mediaWorker: { drainSeconds: 86_401 } }, /drainSeconds/u],
    ['a path in PUBLIC_URL', { config: { ...needed.config, PUBLIC_URL: 'https://a.org/b' } }, /PUBLIC_URL/u],
    [
      'one host for both ingresses',
      { ingress: { enabled: true }, config: { ...needed.config, MEDIA_PUBLIC_URL: 'wss://api.example.com' } },
      /need different hosts/u,
    ],
    [
      'a path that the ingress does not remove',
      {
        ingress: { enabled: true },
        config: { ...needed.config, MEDIA_PUBLIC_URL: 'wss://media.example.com/a' },
      },
      /must have no path/u,
    ],
    ['a port that probes do not use', { config: { ...needed.config, METRICS_PORT: 9100 } }, /METRICS_PORT/u],
    [
      'a variable of a component in the configuration of all services',
      { sip: { hostNetwork: true }, config: { ...needed.config, SIP_ADDRESS: 'sip.example.com' } },
      /config.SIP_ADDRESS would have no effect.*mediaWorker/u,
    ],
    [
      'a store’s address in the configuration instead of the secret',
      { config: { ...needed.config, DATABASE_URL: 'postgres://db/calls' } },
      /config.DATABASE_URL would have no effect.*secret calls-secrets/u,
    ],
  ])('rejects %s', async (_, values, message) => {
    await expect(helmTemplate(CHART, { ...needed, ...values })).rejects.toThrow(message);
  });

  it('has a default for every value of its schema', () => {
    const schema = JSON.parse(readText(`${CHART}/values.schema.json`)) as Schema;
    const values = parse(readText(`${CHART}/values.yaml`)) as object;
    const listed = (property: Schema, at: unknown, path: string): string[] => {
      const { properties = {} } =
        property.$ref?.endsWith('/pods') === true ? schema.$defs['pods']! : property;
      const isFixed =
        property.additionalProperties !== undefined && typeof property.additionalProperties === 'object';
      return isFixed || typeof at !== 'object' || at === null
        ? []
        : Object.entries(properties).flatMap(([name, inner]) =>
            name in at ? listed(inner, Reflect.get(at, name), `${path}/${name}`) : [`${path}/${name}`],
          );
    };
    expect(listed(schema, values, '')).toEqual(['/global']);
  });
});
