export * from './agent-call-creator.ts';
export * from './call-creator.ts';
export { onlyMember, stageVoiceNote } from './choose-voice.ts';
export type { CallAgent, CallOrder, OrderedInvite } from './call-order.ts';
export { findThrottle } from './check-order.ts';
export * from './check-template.ts';
export * from './provider-key.ts';
export * from './refusal.ts';
export * from './request-faults.ts';
export { openMessage, openWords } from './secrets.ts';
export {
  contextFaults,
  contextRules,
  renderTemplate,
  type TemplateContext,
} from './templates/render-template.ts';
export * from './scheduled/batch-facts.ts';
export * from './scheduled/scheduled-call-secrets.ts';
export { makeStage, type StageParts } from './stages/make-stage.ts';
export { stageSettings } from './stages/stage-settings.ts';
export { templateFaults } from './templates/template-faults.ts';
export { openTemplate, sealTemplate, withSecretsOf, withoutSecrets } from './templates/template-secrets.ts';
export * from './tools/index.ts';
export { urlRefusal, type UrlGuard } from './url-rules.ts';
export * from './voice-secrets.ts';
