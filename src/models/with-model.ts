import type { Model, ModelRegistry } from './model.ts';

/** The same models and one more, which every slot has unless a request names another. */
export const withModel = (models: ModelRegistry, own: Model): ModelRegistry => ({
  resolve: (name, slot) => (name === undefined || name === own.name ? own : models.resolve(name, slot)),
  defaultName: () => own.name,
});
