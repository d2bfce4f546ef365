import { PodMonitor } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/PodMonitor';
import { PrometheusRule } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/PrometheusRule';
import { Deployment } from 'kubernetes-models/apps/v1/Deployment';
import { HorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2/HorizontalPodAutoscaler';
import { Job } from 'kubernetes-models/batch/v1/Job';
import { Ingress } from 'kubernetes-models/networking.k8s.io/v1/Ingress';
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget';
import { ConfigMap } from 'kubernetes-models/v1/ConfigMap';
import { Namespace } from 'kubernetes-models/v1/Namespace';
import { PersistentVolumeClaim } from 'kubernetes-models/v1/PersistentVolumeClaim';
import { Secret } from 'kubernetes-models/v1/Secret';
import { Service } from 'kubernetes-models/v1/Service';
import { ServiceAccount } from 'kubernetes-models/v1/ServiceAccount';
import type { BuiltObject } from './programs.ts';

/** Their validators are generated from the OpenAPI documents of Kubernetes and of the Prometheus operator. */
const MODELS = [
  ...[ConfigMap, Deployment, HorizontalPodAutoscaler, Ingress, Job, Namespace, NetworkPolicy],
  ...[
    PersistentVolumeClaim,
    PodDisruptionBudget,
    PodMonitor,
    PrometheusRule,
    Secret,
    Service,
    ServiceAccount,
  ],
];

/** Validates an object against the schema of its kind. Also reports unknown fields. */
export function schemaErrors(object: BuiltObject): string[] {
  const name = `${object.kind}/${object.metadata.name}`;
  const model = MODELS.find(
    ({ apiVersion, kind }) => apiVersion === object.apiVersion && kind === object.kind,
  );
  if (model === undefined) return [`${name}: no schema for ${object.apiVersion}`];
  const { copy, unread } = recorded(object);
  try {
    Reflect.apply(model.prototype.validate, copy, []);
  } catch (error) {
    return [`${name}: ${String(error)}`];
  }
  return unread().map((path) => `${name}: unknown field ${path}`);
}

/**
 * A view of a value that records which fields are read. The validators accept unknown fields, but they read all known
 * fields and iterate over maps. Therefore unread fields are unknown.
 */
function recorded(value: object, path = ''): { copy: object; unread: () => string[] } {
  const read = new Set<string>();
  const children = new Map<string, ReturnType<typeof recorded>>();
  const childOf = (key: string, child: object): object => {
    const known = children.get(key) ?? recorded(child, `${path}/${key}`);
    children.set(key, known);
    return known.copy;
  };
  const copy = new Proxy(value, {
    get(target, key) {
      const child: unknown = Reflect.get(target, key);
      if (typeof key !== 'string') return child;
      read.add(key);
      return typeof child === 'object' && child !== null ? childOf(key, child) : child;
    },
    ownKeys(target) {
      const keys = Reflect.ownKeys(target);
      for (const key of keys) read.add(String(key));
      return keys;
    },
  });
  const unread = (): string[] => [
    ...(Array.isArray(value) ? [] : Object.keys(value))
      .filter((key) => !read.has(key))
      .map((key) => `${path}/${key}`),
    ...[...children.values()].flatMap((child) => child.unread()),
  ];
  return { copy, unread };
}
