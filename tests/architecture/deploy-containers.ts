import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { ROOT } from './source-paths.ts';

/** A container of this project, as described in docker-compose.yml or the Kubernetes manifests. */
export interface OurContainer {
  /** `compose` or `kubernetes`, followed by its name there. */
  name: string;
  role: string;
  entry: string;
  /** Values as written in the file; for Kubernetes secrets and fields, the reference as JSON. */
  env: Readonly<Record<string, string>>;
  /** Grace period for stopping; null for a job, which ends automatically. */
  stopSeconds: number | null;
  isHardened: boolean;
}

export function readText(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

interface ComposeService {
  image: string;
  command?: string[];
  environment?: Record<string, string>;
  stop_grace_period?: string;
  restart?: string;
  ports?: string[];
  volumes?: string[];
  read_only?: boolean;
  cap_drop?: string[];
  security_opt?: string[];
  healthcheck?: object;
  networks: string[];
}

export const compose = parse(readText('docker-compose.yml'), { merge: true }) as {
  services: Record<string, ComposeService>;
};

/** Publishes the SIP ports. */
export const sipCompose = parse(readText('docker-compose.sip.yml')) as {
  services: Record<string, { ports: string[] }>;
};

export interface KubernetesContainer {
  name: string;
  args: string[];
  env: { name: string; value?: string; valueFrom?: object }[];
  envFrom: object[];
  ports?: { name: string; containerPort: number; hostPort?: number; protocol?: string }[];
  volumeMounts?: { name: string }[];
  securityContext: object;
  resources: Record<'requests' | 'limits', { memory: string }>;
  startupProbe?: object;
  readinessProbe?: object;
  livenessProbe?: object;
  lifecycle?: { preStop: { exec: { command: string[] } } };
}

export interface KubernetesObject {
  kind: string;
  metadata: { name: string };
  spec: Record<string, unknown>;
}

export interface PodSpec {
  securityContext: object;
  terminationGracePeriodSeconds: number;
  initContainers?: KubernetesContainer[];
  containers: KubernetesContainer[];
  volumes?: { name: string }[];
}

export const BASE = 'deploy/kubernetes/base';
const baseFiles = readdirSync(join(ROOT, BASE)).filter((name) => name !== 'kustomization.yaml');

export const kubernetes = baseFiles.flatMap((file) =>
  parseAllDocuments(readText(`${BASE}/${file}`)).map((document) => document.toJS() as KubernetesObject),
);

export function podOf({ spec }: { readonly spec?: unknown }): PodSpec {
  return (spec as { template: { spec: PodSpec } }).template.spec;
}

function composeContainers(): OurContainer[] {
  return Object.entries(compose.services).flatMap(([name, service]) => {
    const [entry = ''] = service.command ?? [];
    if (!entry.startsWith('services/')) return [];
    const isJob = service.restart === 'no';
    return {
      name: `compose ${name}`,
      role: name.replace(/-\d+$/u, ''),
      entry,
      env: service.environment ?? {},
      stopSeconds: isJob ? null : Number(/^(\d+)s$/u.exec(service.stop_grace_period ?? '10s')?.[1]),
      isHardened:
        service.read_only === true &&
        service.cap_drop?.includes('ALL') === true &&
        service.security_opt?.includes('no-new-privileges:true') === true,
    };
  });
}

function kubernetesContainers(): OurContainer[] {
  return kubernetes
    .filter(({ kind }) => kind === 'Deployment')
    .flatMap((deployment) => {
      const pod = podOf(deployment);
      const described = (container: KubernetesContainer, isJob: boolean): OurContainer => ({
        name: `kubernetes ${container.name}`,
        role: container.name,
        entry: container.args[0] ?? '',
        env: Object.fromEntries(
          container.env.map(({ name, value, valueFrom }) => [name, value ?? JSON.stringify(valueFrom)]),
        ),
        stopSeconds: isJob ? null : pod.terminationGracePeriodSeconds,
        isHardened:
          JSON.stringify(pod.securityContext).includes('"runAsNonRoot":true') &&
          JSON.stringify(container.securityContext) ===
            '{"allowPrivilegeEscalation":false,"readOnlyRootFilesystem":true,"capabilities":{"drop":["ALL"]}}',
      });
      return [
        ...(pod.initContainers ?? []).map((container) => described(container, true)),
        ...pod.containers.map((container) => described(container, false)),
      ];
    });
}

export const ourContainers = [...composeContainers(), ...kubernetesContainers()];
