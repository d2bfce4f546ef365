export { removeClusterTemplate as default } from './cluster-template.ts';
