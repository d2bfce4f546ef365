import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { podOf, type KubernetesContainer } from './deploy-containers.ts';
import { HAS_PROGRAMS, kustomize, type BuiltObject } from '../support/kubernetes/programs.ts';
import { schemaErrors } from '../support/kubernetes/schemas.ts';
import { ROOT } from './source-paths.ts';

const FOLDER = 'deploy/kubernetes';
const COMPONENTS = readdirSync(join(ROOT, FOLDER, 'components'));
/** The components of each variant of the base. */
const VARIANTS = [[], ...COMPONENTS.map((name) => [name]), COMPONENTS].map(
  (components) => [components.join(' + ') || 'no component', components] as const,
);

/** The parts that a component removes on purpose. */
const REMOVED: Readonly<Record<string, readonly string[]>> = {
  'object-storage': ['volume objects', 'volumeMount objects'],
};

const built = new Map<string, Promise<BuiltObject[]>>();

/** Builds each variant once. */
function build(components: readonly string[]): Promise<BuiltObject[]> {
  const key = components.join(' ');
  const objects =
    built.get(key) ??
    kustomize({
      resources: [`${FOLDER}/base`],
      components: components.map((name) => `${FOLDER}/components/${name}`),
    });
  built.set(key, objects);
  return objects;
}

const deploymentsOf = (objects: readonly BuiltObject[]): BuiltObject[] =>
  objects.filter(({ kind }) => kind === 'Deployment');

const mediaWorkerOf = (objects: readonly BuiltObject[]): BuiltObject => {
  const [worker] = deploymentsOf(objects).filter(({ metadata }) => metadata.name === 'media-worker');
  if (worker === undefined) throw new Error('no media-worker');
  return worker;
};

/** The named parts of a Deployment's pods, such as `media-worker: env NATS_URL`. */
function partsOf(deployment: BuiltObject): string[] {
  const { volumes = [], ...pod } = podOf(deployment);
  const parts = (container: KubernetesContainer): string[] => [
    ...(container.ports ?? []).map(({ name }) => `port ${name}`),
    ...container.env.map(({ name }) => `env ${name}`),
    ...(container.volumeMounts ?? []).map(({ name }) => `volumeMount ${name}`),
  ];
  const all = [
    ...[...(pod.initContainers ?? []), ...pod.containers].flatMap(parts),
    ...volumes.map(({ name }) => `volume ${name}`),
  ];
  return all.map((part) => `${deployment.metadata.name}: ${part}`);
}

(HAS_PROGRAMS ? describe : describe.skip)('the Kubernetes manifests, built by kustomize', () => {
  it.each(VARIANTS)('with %s, are valid according to the schemas of Kubernetes', async (_, components) => {
    const objects = await build(components);
    expect(objects.length).toBeGreaterThan(15);
    expect(objects.flatMap(schemaErrors)).toEqual([]);
  });

  it.each(VARIANTS)('with %s, retain all parts of the base, each once', async (_, components) => {
    const removed = components.flatMap((name) => REMOVED[name] ?? []);
    const inBase = deploymentsOf(await build([])).flatMap(partsOf);
    const parts = deploymentsOf(await build(components)).flatMap(partsOf);
    expect(
      inBase.filter((part) => !parts.includes(part) && !removed.some((end) => part.endsWith(end))),
    ).toEqual([]);
    expect(parts.filter((part) => removed.some((end) => part.endsWith(end)))).toEqual([]);
    const inTwoContainers = 'control-plane: env DATABASE_URL';
    expect(parts.filter((part, at) => parts.indexOf(part) !== at)).toEqual([
      inTwoContainers,
      'control-plane: volumeMount tmp',
    ]);
  });

  it.each(VARIANTS)('with %s, refer only to existing objects', async (_, components) => {
    const objects = await build(components);
    const names = objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    for (const deployment of deploymentsOf(objects)) {
      const { selector, template } = deployment.spec as {
        selector: { matchLabels: Record<string, string> };
        template: { metadata: { labels: Record<string, string> } };
      };
      expect(template.metadata.labels).toMatchObject(selector.matchLabels);
      const { volumes = [], ...pod } = podOf(deployment);
      for (const { envFrom, volumeMounts = [] } of [...(pod.initContainers ?? []), ...pod.containers]) {
        const mounted = volumeMounts.map(({ name }) => name);
        expect(volumes.map(({ name }) => name)).toEqual(expect.arrayContaining(mounted));
        const configMaps = [...JSON.stringify(envFrom).matchAll(/"configMapRef":\{"name":"([^"]+)"/gu)];
        expect(configMaps.length).toBe(2);
        expect(names).toEqual(expect.arrayContaining(configMaps.map(([, name]) => `ConfigMap ${name}`)));
      }
      const claims = [...JSON.stringify(volumes).matchAll(/"claimName":"([^"]+)"/gu)];
      expect(names).toEqual(
        expect.arrayContaining(claims.map(([, name]) => `PersistentVolumeClaim ${name}`)),
      );
    }
  });

  it('give WebRTC the same node port over UDP and TCP', async () => {
    const [container] = podOf(mediaWorkerOf(await build(['webrtc-host-port']))).containers;
    const onNode = container?.ports?.filter(({ hostPort }) => hostPort !== undefined);
    expect(onNode?.sort((a, b) => a.name.localeCompare(b.name))).toEqual([
      { name: 'rtc-tcp', containerPort: 10_000, hostPort: 10_000, protocol: 'TCP' },
      { name: 'rtc-udp', containerPort: 10_000, hostPort: 10_000, protocol: 'UDP' },
    ]);
  });

  it.each(['webrtc-host-port', 'sip-host-network'])(
    'with %s, replace a worker only after it has stopped, with enough time to drain',
    async (component) => {
      const worker = mediaWorkerOf(await build([component]));
      const { strategy, progressDeadlineSeconds } = worker.spec as {
        strategy: object;
        progressDeadlineSeconds: number;
      };
      expect(strategy).toEqual({ rollingUpdate: { maxSurge: 0, maxUnavailable: '25%' } });
      const { terminationGracePeriodSeconds, containers } = podOf(worker);
      const { periodSeconds, failureThreshold } = containers[0]!.startupProbe as Record<string, number>;
      expect(progressDeadlineSeconds).toBeGreaterThan(
        terminationGracePeriodSeconds + (periodSeconds ?? NaN) * (failureThreshold ?? NaN),
      );
    },
  );

  it('accept the patches of addresses that the guide names', async () => {
    const env = [
      { name: 'POD_IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
      { name: 'WORKER_URL', value: 'ws://[$(POD_IP)]:8082' },
      { name: 'SIP_ADDRESS', value: 'sip.example.com', valueFrom: null },
      { name: 'RTC_ANNOUNCED_ADDRESS', value: '2001:db8::1', valueFrom: null },
    ];
    const patch = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'media-worker' },
      spec: { template: { spec: { containers: [{ name: 'media-worker', env }] } } },
    };
    const objects = await kustomize({
      resources: [`${FOLDER}/base`],
      components: ['sip-host-network', 'webrtc-host-port'].map((name) => `${FOLDER}/components/${name}`),
      patches: [{ patch: JSON.stringify(patch) }],
    });
    const built = podOf(mediaWorkerOf(objects)).containers[0]?.env ?? [];
    const patched = built.filter(({ name }) => env.some((each) => each.name === name));
    // Kubernetes inserts the values of earlier variables only.
    expect(patched).toEqual([
      ...env.slice(0, 2),
      { name: 'SIP_ADDRESS', value: 'sip.example.com' },
      { name: 'RTC_ANNOUNCED_ADDRESS', value: '2001:db8::1' },
    ]);
  });

  it.each(['control-plane', 'dispatcher', 'media-worker'])(
    'let the node of the only pod of %s be drained',
    async (name) => {
      const budget = (await build([])).find(
        ({ kind, metadata }) => kind === 'PodDisruptionBudget' && metadata.name === name,
      );
      expect(budget?.spec).toMatchObject({ maxUnavailable: 1 });
    },
  );

  it('of the example are valid and use the hosts of its configuration', async () => {
    mkdirSync(join(ROOT, '.cache'), { recursive: true });
    const copy = mkdtempSync(join(ROOT, '.cache/kubernetes-example-'));
    try {
      cpSync(join(ROOT, FOLDER), copy, { recursive: true });
      const example = join(copy, 'overlays/example');
      cpSync(join(example, 'secrets.example.env'), join(example, 'secrets.env'));
      const objects = await kustomize(relative(ROOT, example));
      expect(objects.flatMap(schemaErrors)).toEqual([]);
      expect(objects.map(({ kind }) => kind)).toEqual(
        expect.arrayContaining(['Namespace', 'Secret', 'Ingress', 'PodMonitor']),
      );
      const data = objects.find(({ metadata }) => metadata.name.startsWith('calls-config'))?.data ?? {};
      const hosts = objects.flatMap(({ kind, spec }) =>
        kind === 'Ingress' ? (spec as { rules: { host: string }[] }).rules.map(({ host }) => host) : [],
      );
      expect(hosts).toEqual(
        [data['PUBLIC_URL'], data['MEDIA_PUBLIC_URL']].map((url = '') => new URL(url).hostname),
      );
      expect(data['TRUSTED_PROXIES']).toBe('1');
    } finally {
      rmSync(copy, { recursive: true });
    }
  });
});

describe('schemaErrors', () => {
  const policy = (spec: object): BuiltObject => ({
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name: 'example' },
    spec: { podSelector: { matchLabels: { any: 'label' } }, ...spec },
  });

  it.each([
    ['nothing', {}, []],
    ['an unknown field', { egres: [] }, ['NetworkPolicy/example: unknown field /spec/egres']],
    [
      'an unknown field in a list',
      { egress: [{ ports: [{ prot: 1 }] }] },
      ['NetworkPolicy/example: unknown field /spec/egress/0/ports/0/prot'],
    ],
    ['a wrong type', { policyTypes: 'Egress' }, [expect.stringMatching(/policyTypes must be array/u)]],
    ['a missing field', { egress: [{ to: [{ ipBlock: {} }] }] }, [expect.stringMatching(/property cidr/u)]],
  ])('finds %s', (_, spec, errors) => {
    expect(schemaErrors(policy(spec))).toEqual(errors);
  });
});
