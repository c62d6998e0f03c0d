;;; steersman-question.el --- Questions before anything is changed  -*- lexical-binding: t; -*-

;; Copyright (C) 2025 The Steersman authors
;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; A question is a buffer with exactly what would be done.  It is shown without being selected, so that what is typed
;; at that moment answers nothing; only the keys it names answer it.  Leaving it, by whatever way, is a refusal.

;;; Code:

(require 'cl-lib)
(require 'diff-mode)
(require 'steersman-connection)

(defvar steersman-question-asked-functions nil
  "Functions called with a question's params when it comes up.")

(defvar steersman-question-closed-functions nil
  "Functions called with a question's params when it is answered or withdrawn.")

(defvar steersman-question--open nil "The buffers of the open questions, oldest first.")
(defvar-local steersman-question--params nil "What is asked here.")
(defvar-local steersman-question--reply nil "The function that takes the answer; nil once there is one.")

(defconst steersman-question--keys
  '(("allow_once" . "a") ("save_and_allow" . "S") ("allow_session" . "s") ("allow_always" . "A") ("reject" . "r"))
  "The key for each answer, in the order in which they are shown.")

(defvar-keymap steersman-question-mode-map
  :doc "Keys in a question."
  :suppress t
  "a" #'steersman-question-allow-once
  "S" #'steersman-question-save-and-allow
  "s" #'steersman-question-allow-session
  "A" #'steersman-question-allow-always
  "r" #'steersman-question-reject
  "q" #'steersman-question-reject-at-once
  "n" #'diff-hunk-next
  "p" #'diff-hunk-prev
  "SPC" #'scroll-up-command
  "DEL" #'scroll-down-command)

(define-derived-mode steersman-question-mode diff-mode "Steersman?"
  "Major mode for a question: what Steersman wants to do.
\\{steersman-question-mode-map}"
  (setq-local minor-mode-overriding-map-alist nil) ; diff-mode's own single keys would come first
  (setq buffer-read-only t)
  (add-hook 'kill-buffer-hook #'steersman-question--killed nil t)
  (add-hook 'change-major-mode-hook #'steersman-question--killed nil t)) ; no key answers it any more

(cl-defmethod steersman-handle-request (_connection (_method (eql steersman/requestApproval)) params)
  "Ask the question in PARAMS; it is answered when the person does so."
  (steersman-later
   (lambda (reply)
     (let ((buffer (steersman-question--show params reply)))
       (lambda () (steersman-question--close buffer))))))

(defun steersman-question--show (params reply)
  "Show the question PARAMS in a buffer, which is returned; REPLY takes its answer."
  (let ((buffer (generate-new-buffer (format "*Steersman: %s*" (steersman-question--title params)))))
    (with-current-buffer buffer
      (let ((inhibit-read-only t))
        (insert (steersman-question--text params))
        (goto-char (point-min)))
      (steersman-connection-safely (steersman-question-mode))
      (setq steersman-question--params params
            steersman-question--reply reply
            header-line-format (steersman-question--header params)))
    (setq steersman-question--open (append steersman-question--open (list buffer)))
    (steersman-connection-run-hook 'steersman-question-asked-functions params)
    (steersman-connection-safely (display-buffer buffer))
    (message "Steersman wants to %s: M-x steersman-answer" (steersman-question--title params))
    buffer))

(defun steersman-question--title (params)
  "Return in few words what PARAMS ask about."
  (truncate-string-to-width (steersman-connection-title (plist-get params :title)) 200 nil nil "…"))

(defun steersman-question--text (params)
  "Return all of what PARAMS ask about."
  (concat
   (steersman-question--answers params)
   (when-let* ((warning (plist-get params :warning)))
     (concat (propertize (steersman-connection-visible warning) 'font-lock-face 'warning) "\n\n"))
   (when-let* ((command (plist-get params :command)))
     (concat (steersman-connection-visible command) "\n"))
   (mapconcat (lambda (change) (steersman-connection-visible (plist-get change :diff))) (plist-get params :changes) "\n")))

(defun steersman-question--header (params)
  "Return the line above the question PARAMS."
  (string-replace "%" "%%" (propertize (concat " Steersman wants to " (steersman-question--title params)) 'face 'bold)))

(defun steersman-question--answers (params)
  "Return a line for each answer to PARAMS: its key and its words."
  (concat
   (cl-loop for (id . key) in steersman-question--keys
            for option = (seq-find (lambda (each) (equal id (plist-get each :id))) (plist-get params :options))
            when option
            concat (concat (propertize key 'font-lock-face 'help-key-binding) "  " (plist-get option :label)
                           (if (equal id "reject") " with a reason (q: without)" "")
                           "\n"))
   "\n"))

(defun steersman-question--answer (option &optional reason)
  "Answer the current buffer's question by OPTION, an id, giving a REASON."
  (unless steersman-question--reply
    (user-error "This question is closed"))
  (unless (seq-find (lambda (each) (equal option (plist-get each :id))) (plist-get steersman-question--params :options))
    (user-error "This question has no such answer"))
  (let ((reply steersman-question--reply))
    (setq steersman-question--reply nil)
    (steersman-question--close (current-buffer))
    (funcall reply (append (list :optionId option)
                           (unless (string-blank-p (or reason "")) (list :reason reason))))))

(defun steersman-question--close (buffer)
  "Take the question of BUFFER off the screen; nothing is answered."
  (when (buffer-live-p buffer)
    (with-current-buffer buffer
      (setq steersman-question--reply nil))
    (let ((window (get-buffer-window buffer t)))
      (if window
          (quit-window t window)
        (kill-buffer buffer)))))

(defun steersman-question--killed ()
  "Refuse what the current buffer asks: nobody said yes."
  (setq steersman-question--open (delq (current-buffer) steersman-question--open))
  (when steersman-question--reply
    (let ((reply steersman-question--reply))
      (setq steersman-question--reply nil)
      (funcall reply '(:optionId "reject"))))
  (steersman-connection-run-hook 'steersman-question-closed-functions steersman-question--params))

(defun steersman-question-allow-once ()
  "Allow what is shown, this time."
  (interactive nil steersman-question-mode)
  (steersman-question--answer "allow_once"))

(defun steersman-question-save-and-allow ()
  "Save the documents with unsaved edits of Steersman's, then allow what is shown."
  (interactive nil steersman-question-mode)
  (steersman-question--answer "save_and_allow"))

(defun steersman-question-allow-session ()
  "Allow what is shown, and what is like it, in this conversation."
  (interactive nil steersman-question-mode)
  (steersman-question--answer "allow_session"))

(defun steersman-question-allow-always ()
  "Allow what is shown, and what is like it, in this folder from now on."
  (interactive nil steersman-question-mode)
  (steersman-question--answer "allow_always"))

(defun steersman-question-reject (reason)
  "Refuse what is shown; the model is told the REASON."
  (interactive (list (read-string "Why not (RET: no reason): ")) steersman-question-mode)
  (steersman-question--answer "reject" reason))

(defun steersman-question-reject-at-once ()
  "Refuse what is shown, without a reason."
  (interactive nil steersman-question-mode)
  (steersman-question--answer "reject"))

;;;###autoload
(defun steersman-answer ()
  "Visit the oldest open question."
  (interactive)
  (pop-to-buffer (or (car steersman-question--open) (user-error "Steersman asks nothing at present"))))

(provide 'steersman-question)

;;; steersman-question.el ends here
