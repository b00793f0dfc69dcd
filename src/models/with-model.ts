import type { Model, ModelRegistry } from './model.ts';

/** Adds a model, which is the default of every slot. */
export const withModel = (models: ModelRegistry, own: Model): ModelRegistry => ({
  resolve: (name, slot) => (name === undefined || name === own.name ? own : models.resolve(name, slot)),
  defaultName: () => own.name,
});
