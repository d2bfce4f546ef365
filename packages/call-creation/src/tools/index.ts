export * from './built-in-tools.ts';
export * from './complete-definition.ts';
export * from './data-connection-faults.ts';
export * from './definition-faults.ts';
export * from './resolve-tools.ts';
export * from './security.ts';
export * from './to-call-definition.ts';
export type { UrlRule } from './url-rule.ts';
