// Only what needs types; Biome does formatting and syntax.
import rxjs from 'eslint-plugin-rxjs-x';
import tseslint from 'typescript-eslint';

export default tseslint.config(
  { ignores: ['**/dist/**', '**/node_modules/**', '**/*.mjs', '**/*.cjs', '**/vitest*.config.ts', '*.ts'] },
  {
    files: [
      'packages/*/src/**/*.ts',
      'packages/*/test/**/*.ts',
      'examples/**/*.ts',
      'bench/**/*.ts',
      'chaos/**/*.ts',
      'simulation/**/*.ts',
    ],
    extends: [...tseslint.configs.strictTypeChecked],
    plugins: { 'rxjs-x': rxjs },
    languageOptions: {
      parserOptions: {
        project: ['./packages/*/tsconfig.json', './tsconfig.tests.json'],
        tsconfigRootDir: import.meta.dirname,
      },
    },
    rules: {
      'rxjs-x/no-floating-observables': 'error',
      'rxjs-x/no-sharereplay': 'error',
      'rxjs-x/no-unsafe-takeuntil': 'error',
      'rxjs-x/finnish': [
        'error',
        { methods: false, functions: false, properties: true, variables: false, parameters: false, strict: false },
      ],
      // An abort rejects with the caller's own reason, whatever that is.
      '@typescript-eslint/only-throw-error': 'off',
      '@typescript-eslint/prefer-promise-reject-errors': 'off',
      '@typescript-eslint/no-confusing-void-expression': 'off',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allow: ['bigint'] }],
      '@typescript-eslint/no-unused-vars': 'off',
      '@typescript-eslint/no-unnecessary-type-parameters': 'off',
      '@typescript-eslint/no-invalid-void-type': 'off',
    },
  },
  {
    files: [
      'packages/*/test/**/*.ts',
      'packages/conformance/src/**/*.ts',
      'examples/**/*.ts',
      'bench/**/*.ts',
      'chaos/**/*.ts',
      'simulation/**/*.ts',
    ],
    rules: {
      '@typescript-eslint/no-non-null-assertion': 'off',
      // Tests see a package by its name and, for what is not public, by its files: two types of one class.
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/unbound-method': 'off',
      'rxjs-x/no-ignored-subscription': 'off',
      'rxjs-x/no-floating-observables': 'off',
    },
  },
);
