export * from './call-notices.ts';
export * from './call-view.ts';
export * from './delivery-content.ts';
export * from './join-url.ts';
export * from './shown-settings.ts';
export * from './write-deliveries.ts';
