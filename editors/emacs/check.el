;;; check.el --- Byte-compile and checkdoc the package, warnings being errors  -*- lexical-binding: t; -*-

;; Copyright (C) 2025 The Steersman authors
;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; emacs -Q --batch -l check.el

;;; Code:

(require 'bytecomp)
(require 'checkdoc)

(defvar steersman-check--found nil "What was found.")

(let* ((folder (file-name-directory load-file-name))
       (output (make-temp-file "steersman-check" t))
       (byte-compile-error-on-warn t)
       (byte-compile-dest-file-function
        (lambda (file) (expand-file-name (concat (file-name-base file) ".elc") output)))
       (checkdoc-create-error-function
        (lambda (text start _end &rest _)
          (push (format "%s:%s: %s" (buffer-file-name) (and start (line-number-at-pos start)) text)
                steersman-check--found)
          nil)))
  (add-to-list 'load-path folder)
  (unwind-protect
      (dolist (file (directory-files folder t "\\`steersman.*\\.el\\'"))
        (unless (byte-compile-file file)
          (push (format "%s does not compile without warnings" file) steersman-check--found))
        (with-current-buffer (find-file-noselect file)
          (let ((checkdoc-spellcheck-documentation-flag nil))
            (checkdoc-current-buffer t))))
    (delete-directory output t))
  (dolist (problem (reverse steersman-check--found))
    (princ (concat problem "\n")))
  (kill-emacs (if steersman-check--found 1 0)))

;;; check.el ends here
