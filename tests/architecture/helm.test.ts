import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import {
  HAS_PROGRAMS,
  helmTemplate,
  kustomize,
  runProgram,
  type BuiltObject,
} from '../support/kubernetes/programs.ts';
import { schemaErrors } from '../support/kubernetes/schemas.ts';
import { podOf, readText } from './deploy-containers.ts';
import { ROOT } from './source-paths.ts';

const CHART = 'deploy/helm/calls';
const KUBERNETES = 'deploy/kubernetes';
const { version } = parse(readText(`${CHART}/Chart.yaml`)) as { version: string };
const IMAGE = 'registry.example.com/calls';
const needed = {
  image: { repository: IMAGE },
  config: { PUBLIC_URL: 'https://api.example.com', MEDIA_PUBLIC_URL: 'wss://media.example.com' },
};

interface Variant {
  values: object;
  components: readonly string[];
  /** The settings of an overlay that correspond to the values. */
  literals?: readonly string[];
}

const ingress = { values: { ingress: { enabled: true } }, components: ['ingress-nginx'] };
const webRtc = { values: { webrtc: { hostPort: true } }, components: ['webrtc-host-port'] };
const sip = { values: { sip: { hostNetwork: true } }, components: ['sip-host-network'] };
const monitor = { values: { monitoring: { podMonitor: true } }, components: ['pod-monitor'] };
const objectStorage = {
  values: { objectStorage: { url: 's3://calls/production?region=eu-central-1' } },
  components: ['object-storage'],
  literals: ['OBJECT_STORAGE_URL=s3://calls/production?region=eu-central-1'],
};
const switches: readonly Variant[] = [ingress, webRtc, sip, objectStorage, monitor];
const VARIANTS: readonly (readonly [string, Variant])[] = [
  ['no component', { values: {}, components: [] }],
  ...switches.map((each) => [each.components.join(), each] as const),
  [
    'all components',
    {
      values: Object.assign({}, ...switches.map(({ values }) => values)) as object,
      components: switches.flatMap(({ components }) => components),
      literals: objectStorage.literals,
    },
  ],
];

/** Objects by kind and name, without differences between the tools: the order of lists and configuration hashes. */
function comparable(objects: readonly BuiltObject[]): Record<string, unknown> {
  const text = JSON.stringify(objects).replaceAll(/(calls-config|calls-engines)-[0-9a-z]{10}\b/gu, '$1');
  const entries = (JSON.parse(text) as BuiltObject[]).map((object) => [
    `${object.kind}/${object.metadata.name}`,
    sorted(object),
  ]);
  return Object.fromEntries(entries) as Record<string, unknown>;
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) {
    const items = value.map(sorted);
    const isNamed = items.every((item) => typeof item === 'object' && item !== null && 'name' in item);
    return isNamed ? items.toSorted((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b))) : items;
  }
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value)
    .filter(([name, field]) => name !== 'checksum/config' && JSON.stringify(field) !== '{}' && field !== null)
    .map(([name, field]) => [name, sorted(field)] as const)
    .filter(([, field]) => JSON.stringify(field) !== '{}')
    .toSorted(([a], [b]) => a.localeCompare(b));
  return Object.fromEntries(fields);
}

const rendered = new Map<string, Promise<BuiltObject[]>>();

/** Renders the chart once for each set of values. */
function chart(values: object): Promise<BuiltObject[]> {
  const key = JSON.stringify(values);
  const objects = rendered.get(key) ?? helmTemplate(CHART, { ...needed, ...values });
  rendered.set(key, objects);
  return objects;
}

function named(objects: readonly BuiltObject[], kind: string, name: string): BuiltObject {
  const found = objects.find((object) => object.kind === kind && object.metadata.name === name);
  if (found === undefined) throw new Error(`no ${kind}/${name}`);
  return found;
}

/** Values that differ from the defaults, for all settings that no component covers. */
const others = {
  image: { repository: IMAGE, digest: `sha256:${'0'.repeat(64)}`, pullSecrets: [{ name: 'registry' }] },
  config: {
    ...needed.config,
    NATS_REPLICAS: 3,
    PUBLIC_URL: 'https://calls.example.org',
    SIP_MEDIA_TIMEOUT_MS: 3_600_000,
  },
  engines: { LLM_MODEL: 'large' },
  serviceAccount: { annotations: { 'eks.amazonaws.com/role-arn': 'arn:aws:iam::1:role/calls' } },
  controlPlane: {
    replicas: 4,
    resources: { limits: { memory: '1Gi' } },
    nodeSelector: { pool: 'api' },
    env: [
      { name: 'DATABASE_URL', valueFrom: { secretKeyRef: { name: 'database', key: 'uri' } } },
      { name: 'LOG_LEVEL', value: 'debug' },
    ],
    volumes: [{ name: 'authority', secret: { secretName: 'database-authority' } }],
    volumeMounts: [{ name: 'authority', mountPath: '/tls' }],
  },
  dispatcher: { priorityClassName: 'high', tolerations: [{ key: 'jobs', operator: 'Exists' }] },
  mediaWorker: {
    replicas: 3,
    drainSeconds: 600,
    env: [{ name: 'RTC_ANNOUNCED_ADDRESS', value: '198.51.100.7' }],
    podAnnotations: { team: 'voice' },
  },
  autoscaling: { enabled: false },
  ingress: { enabled: true, className: 'internal', tlsSecrets: { 'control-plane': 'api-tls' } },
  webrtc: { hostPort: true },
  sip: { domain: 'sip.example.org', tls: true },
  turn: { urls: ['turn:turn.example.org', 'turns:turn.example.org:443?transport=tcp'] },
  storage: { size: '1Ti', className: 'shared-files' },
  networkPolicy: {
    stores: [{ to: [{ ipBlock: { cidr: '10.20.0.0/24' } }], ports: [{ port: 5432 }] }],
    moreEgress: [{ to: [{ ipBlock: { cidr: '10.96.0.10/32' } }], ports: [{ port: 53, protocol: 'UDP' }] }],
  },
  migrationJob: { enabled: true },
  monitoring: {
    podMonitor: true,
    podMonitorLabels: { release: 'prometheus' },
    alerts: true,
    alertLabels: { release: 'prometheus' },
  },
};

(HAS_PROGRAMS ? describe : describe.skip)('the Helm chart', () => {
  it.each(VARIANTS)(
    'with %s, renders what kustomize builds',
    async (_, { values, components, literals = [] }) => {
      const objects = await chart(values);
      expect(objects.flatMap(schemaErrors)).toEqual([]);
      const built = await kustomize({
        resources: [`${KUBERNETES}/base`],
        components: components.map((name) => `${KUBERNETES}/components/${name}`),
        configMapGenerator: [{ name: 'calls-config', behavior: 'merge', literals }],
        images: [{ name: 'calls', newName: IMAGE, newTag: version }],
      });
      expect(comparable(objects)).toEqual(comparable(built));
    },
  );

  it('applies all other values', async () => {
    const objects = await chart(others);
    expect(objects.flatMap(schemaErrors)).toEqual([]);
    const deployment = (name: string) => named(objects, 'Deployment', name);
    expect(deployment('control-plane').spec).toMatchObject({ replicas: 4 });
    expect(podOf(deployment('control-plane'))).toMatchObject({
      imagePullSecrets: [{ name: 'registry' }],
      nodeSelector: { pool: 'api' },
      containers: [
        {
          image: `${IMAGE}@${others.image.digest}`,
          resources: { requests: { cpu: '250m', memory: '512Mi' }, limits: { memory: '1Gi' } },
          env: expect.arrayContaining(others.controlPlane.env),
          volumeMounts: expect.arrayContaining(others.controlPlane.volumeMounts),
        },
      ],
      volumes: expect.arrayContaining(others.controlPlane.volumes),
    });
    expect(named(objects, 'ServiceAccount', 'calls').metadata).toMatchObject(others.serviceAccount);
    expect(podOf(deployment('dispatcher'))).toMatchObject(others.dispatcher);
    const worker = deployment('media-worker');
    expect(worker.spec).toMatchObject({
      replicas: 3,
      progressDeadlineSeconds: 1500,
      template: {
        metadata: { annotations: { team: 'voice' } },
        spec: { terminationGracePeriodSeconds: 700 },
      },
    });
    expect(podOf(worker).containers[0]?.env).toEqual(
      expect.arrayContaining([
        { name: 'DRAIN_LIMIT_MS', value: '600000' },
        { name: 'RTC_ANNOUNCED_ADDRESS', value: '198.51.100.7' },
      ]),
    );
    expect(objects.filter(({ kind }) => kind === 'HorizontalPodAutoscaler')).toEqual([]);
    expect(named(objects, 'ConfigMap', 'calls-config').data).toMatchObject({
      NATS_REPLICAS: '3',
      SIP_DOMAIN: 'sip.example.org',
      SIP_MEDIA_TIMEOUT_MS: '3600000',
      SIP_TLS: 'true',
      TRUSTED_PROXIES: '1',
      TURN_URLS: 'turn:turn.example.org,turns:turn.example.org:443?transport=tcp',
    });
    expect(named(objects, 'ConfigMap', 'calls-engines').data).toEqual({ LLM_MODEL: 'large' });
    expect(named(objects, 'Ingress', 'control-plane').spec).toMatchObject({
      ingressClassName: 'internal',
      tls: [{ hosts: ['calls.example.org'], secretName: 'api-tls' }],
      rules: [{ host: 'calls.example.org' }],
    });
    expect(named(objects, 'Ingress', 'media-worker').spec).toMatchObject({
      rules: [{ host: 'media.example.com' }],
    });
    expect(named(objects, 'PersistentVolumeClaim', 'calls-objects').spec).toMatchObject({
      storageClassName: 'shared-files',
      resources: { requests: { storage: '1Ti' } },
    });
    const { stores, moreEgress } = others.networkPolicy;
    expect(named(objects, 'NetworkPolicy', 'calls-stores').spec).toMatchObject({ egress: stores });
    expect(named(objects, 'NetworkPolicy', 'calls-more-egress').spec).toMatchObject({ egress: moreEgress });
    const rule = named(objects, 'PrometheusRule', 'calls');
    expect(rule.spec).toEqual(parse(readText('deploy/prometheus/alerts.yml')));
    expect(rule.metadata).toMatchObject({ labels: { release: 'prometheus' } });
    expect(named(objects, 'PodMonitor', 'calls').metadata).toMatchObject({
      labels: { release: 'prometheus' },
    });
  });

  it('prepares the database in a hook job that uses no other object of the release', async () => {
    const objects = await chart(others);
    expect(podOf(named(objects, 'Deployment', 'control-plane')).initContainers).toBeUndefined();
    const { spec, metadata } = named(objects, 'Job', 'prepare-database');
    expect(metadata).toMatchObject({ annotations: { 'helm.sh/hook': 'pre-install,pre-upgrade' } });
    const pod = podOf({ spec });
    expect(pod).not.toHaveProperty('serviceAccountName');
    expect(JSON.stringify(pod)).not.toMatch(/configMapRef|claimName/u);
    expect(pod.containers[0]?.args).toEqual(['services/control-plane/src/prepare-database.ts']);
    const env = pod.containers[0]?.env ?? [];
    const names = env.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['DATABASE_URL', 'LLM_MODEL']));
    expect(new Set(names).size).toBe(names.length);
    expect(env).toEqual(expect.arrayContaining(others.controlPlane.env));
    expect(pod.volumes?.map(({ name }) => name).sort()).toEqual(['authority', 'tmp']);
  });

  it('gives the init container that prepares the database the variables and files of its pod', async () => {
    const { initContainers, containers } = podOf(
      named(await chart({ ...others, migrationJob: { enabled: false } }), 'Deployment', 'control-plane'),
    );
    expect(initContainers?.[0]?.env).toEqual(expect.arrayContaining(others.controlPlane.env));
    expect(initContainers?.[0]?.volumeMounts).toEqual(
      containers[0]?.volumeMounts?.filter(({ name }) => name !== 'objects'),
    );
  });

  it('has no network policies when they are disabled', async () => {
    const objects = await chart({
      networkPolicy: { enabled: false, moreEgress: others.networkPolicy.moreEgress },
    });
    expect(objects.filter(({ kind }) => kind === 'NetworkPolicy')).toEqual([]);
  });

  it('restarts pods when the configuration changes', async () => {
    const annotations = async (values: object): Promise<unknown[]> =>
      (await chart(values)).flatMap(({ kind, spec }) =>
        kind === 'Deployment'
          ? (spec as { template: { metadata: { annotations: unknown } } }).template.metadata.annotations
          : [],
      );
    const before = await annotations({});
    expect(await annotations(webRtc.values)).toEqual(before);
    for (const [index, changed] of (await annotations({ engines: { LLM_MODEL: 'large' } })).entries()) {
      expect(changed).not.toEqual(before[index]);
    }
  });

  it('passes `helm lint --strict`', async () => {
    const folder = await mkdtemp(join(ROOT, '.cache/values-'));
    try {
      const values = join(folder, 'values.json');
      await writeFile(values, JSON.stringify(others));
      await runProgram('helm', ['lint', '--strict', '--values', values, join(ROOT, CHART)]);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('is packaged with the manifests, but without overlays, which may contain secrets', async () => {
    const folder = await mkdtemp(join(ROOT, '.cache/chart-'));
    try {
      await runProgram('helm', ['package', join(ROOT, CHART), '--destination', folder]);
      const path = join(folder, `calls-${version}.tgz`);
      const { stdout } = await promisify(execFile)('tar', ['--list', '--gzip', '--file', path]);
      const files = stdout.split('\n');
      expect(files).toEqual(
        expect.arrayContaining([
          'calls/kubernetes/base/media-worker.yaml',
          'calls/alerts.yml',
          'calls/values.schema.json',
        ]),
      );
      expect(files.filter((file) => /overlays|\.env/u.test(file))).toEqual([]);
      expect(await helmTemplate(relative(ROOT, path), needed)).toEqual(await chart({}));
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
