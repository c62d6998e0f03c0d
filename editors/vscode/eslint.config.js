import js from '@eslint/js';
import ts from 'typescript-eslint';

export default ts.config(
  { ignores: ['**/node_modules/', '.node/', 'dist/', 'out/', 'src/protocol.gen.ts', 'eslint.config.js'] },
  js.configs.recommended,
  ...ts.configs.strictTypeChecked,
  ...ts.configs.stylisticTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      // Numbers read well in texts for people.
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      // `() => void thing()` is how an event's handler says that nobody waits.
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreVoidOperator: true, ignoreArrowShorthand: true }],
      eqeqeq: 'error',
      'max-lines': ['error', 500],
      'max-lines-per-function': ['error', { max: 60, skipBlankLines: true, skipComments: true }],
      'no-console': 'error',
    },
  },
  {
    files: ['test/**', 'scripts/**'],
    rules: {
      // A test file's outer function holds its tests; node:test's promises need nobody who waits for them.
      'max-lines-per-function': 'off',
      'no-console': 'off',
      '@typescript-eslint/no-floating-promises': 'off',
    },
  },
);
