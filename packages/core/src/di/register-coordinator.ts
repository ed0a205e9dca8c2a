import type { DependencyContainer, Disposable } from 'tsyringe';
import type { Coordinator } from '../coordinator.js';
import { type CoordinatorConfig, coordinatorOf } from './config.js';
import { COORDINATOR, COORDINATOR_CONFIG } from './tokens.js';

/**
 * Registers one coordinator for this container and its children: made when `COORDINATOR` is first resolved, closed with the container. A child may register its own.
 *
 * `await container.dispose()` closes it: grants are over at once, and it resolves when their entries are gone. tsyringe disposes of everything at the same time, so a
 * service that has to finish under a grant is to be stopped before. A container cannot be used after that: in tests take a child for each.
 *
 * This entry imports nothing of tsyringe at run time. What uses its decorators has to import a polyfill such as `reflect-metadata` before tsyringe, once, at the top of the
 * application; we do not, since it changes a global object. Each constructor parameter needs its `@inject(TOKEN)`: many compilers emit no types of parameters.
 *
 * @throws {CoordinationError} not here, but when `COORDINATOR` is resolved: `INVALID_ARGUMENT` for wrong options. As the dependency of another class, tsyringe
 * puts its message into an error of its own.
 *
 * @example
 * ```ts
 * import 'reflect-metadata';
 * import type { Coordinator } from '@concordat/core';
 * import { COORDINATOR, registerCoordinator } from '@concordat/core/di';
 * import { createCoordinator } from 'concordat';
 * import { container, inject, injectable } from 'tsyringe';
 *
 * @injectable()
 * class Reports {
 *   readonly #coordinator: Coordinator;
 *
 *   constructor(@inject(COORDINATOR) coordinator: Coordinator) {
 *     this.#coordinator = coordinator;
 *   }
 *
 *   nightly(): Promise<void> {
 *     return this.#coordinator.lock('reports/nightly').with(() => console.log('alone'));
 *   }
 * }
 *
 * registerCoordinator(container, () => createCoordinator(process.env['COORDINATOR_URL'] ?? 'memory:docs'));
 * await container.resolve(Reports).nightly();
 * await container.dispose();
 * ```
 */
export function registerCoordinator(container: DependencyContainer, config: CoordinatorConfig): void {
  // Made by the container, since that disposes only of what it made itself; without parameters, so that no decorator is needed.
  class Owner implements Disposable {
    readonly coordinator: Coordinator = coordinatorOf(config, container);

    dispose(): Promise<void> {
      return this.coordinator.close();
    }
  }
  const owner = Symbol('owner of a coordinator');
  container.registerSingleton<Owner>(owner, Owner);
  container.register(COORDINATOR_CONFIG, { useFactory: () => config });
  // Always by the container it was registered in: one that a child makes is disposed of with that child.
  container.register(COORDINATOR, { useFactory: () => container.resolve<Owner>(owner).coordinator });
}
