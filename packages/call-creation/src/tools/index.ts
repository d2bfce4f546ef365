export * from './built-in-tools.ts';
export * from './complete-definition.ts';
export * from './definition-faults.ts';
export type { UrlRule } from './http-faults.ts';
export * from './resolve-tools.ts';
export type { ToolAuth } from './security.ts';
export type { RenderText } from './to-call-definition.ts';
