;;; steersman-rewind.el --- Back to an earlier message  -*- lexical-binding: t; -*-

;; Copyright (C) 2025 The Steersman authors
;; SPDX-License-Identifier: Apache-2.0

;;; Commentary:

;; Takes back what a conversation did since one of its tasks was given: files, messages, or both.  Everything that the
;; server is asked for is waited for aside; a question that comes of an answer never takes a minibuffer in use.

;;; Code:

(require 'seq)
(require 'subr-x)
(require 'steersman-connection)
(require 'steersman-conversation)

(defvar steersman-rewind--last nil "The last rewind: a list of connection, session and the rewind's id.")

(defconst steersman-rewind--whats
  '(("Files and conversation" :files t :conversation t)
    ("Files only" :files t :conversation :json-false)
    ("Conversation only" :files :json-false :conversation t))
  "What can be taken back, and the command's fields for it.")

;;;###autoload
(defun steersman-rewind ()
  "Take back what this conversation did since one of its tasks was given.
Elsewhere than in a conversation it is the project's latest one.  You
choose the task, and whether files, messages or both go back; files that
were changed since stay as they are unless you say otherwise."
  (interactive)
  (if (derived-mode-p 'steersman-conversation-mode)
      (steersman-rewind--ask (if (memq steersman-conversation-connection (steersman-connections))
                                 steersman-conversation-connection
                               (steersman-connection-here t))
                             steersman-conversation-session)
    (let ((connection (steersman-connection-here t)))
      (steersman-connection-call
       connection "steersman.sessions.list" '(:limit 1)
       (lambda (result)
         (if-let* ((session (seq-first (plist-get result :sessions))))
             (steersman-rewind--ask connection (plist-get session :id))
           (message "Steersman: there is no conversation here yet")))))))

;;;###autoload
(defun steersman-rewind-undo ()
  "Take the last rewind back."
  (interactive)
  (apply #'steersman-rewind--undo nil (or steersman-rewind--last (user-error "There is no rewind to take back"))))

(defun steersman-rewind--undo (force connection session id)
  "Take the rewind ID of SESSION on CONNECTION back.
With FORCE, over later changes, too."
  (steersman-connection-call
   connection "steersman.rewind.undo" (list :rewindId id :force (if force t :json-false))
   (lambda (result)
     (setq steersman-rewind--last nil)
     (steersman-rewind--show connection session)
     (message "Steersman: %s" (steersman-rewind--summary result))
     (unless force
       (steersman-rewind--offer-force result (lambda () (steersman-rewind--undo t connection session id)))))))

(defun steersman-rewind--ask (connection session)
  "Have the person choose a task of SESSION on CONNECTION to go back to."
  (steersman-connection-call
   connection "steersman.sessions.get" (list :sessionId session)
   (lambda (result)
     (let ((points (steersman-rewind--points (plist-get result :messages))))
       (if (null points)
           (message "Steersman: nothing has happened here yet")
         (steersman-rewind--aside
          (lambda () (steersman-rewind--choose connection session points))))))))

(defun steersman-rewind--choose (connection session points)
  "Ask which of POINTS in SESSION of CONNECTION to go back to, and for what."
  (let* ((point (assoc (steersman-rewind--read "Back to the moment before: " points) points))
         (what (assoc (steersman-rewind--read "Take back: " steersman-rewind--whats) steersman-rewind--whats)))
    (steersman-rewind--do connection session (append (list :toMessage (cdr point)) (cdr what)) nil)))

(defun steersman-rewind--read (prompt choices)
  "Ask with PROMPT for one of CHOICES, an alist; the first is offered."
  (let ((table (lambda (text filter action)
                 (if (eq action 'metadata)
                     '(metadata (display-sort-function . identity)) ; in the order they have
                   (complete-with-action action choices text filter)))))
    (completing-read prompt table nil t nil nil (caar choices))))

(defun steersman-rewind--do (connection session fields force)
  "Take SESSION of CONNECTION back as FIELDS say.
With FORCE, restore files over later changes, too."
  (steersman-connection-call
   connection "steersman.rewind" (append (list :sessionId session :force (if force t :json-false)) fields)
   (lambda (result)
     (setq steersman-rewind--last (list connection session (plist-get result :rewindId)))
     (steersman-rewind--show connection session)
     (message "Steersman: %s.  M-x steersman-rewind-undo takes this back" (steersman-rewind--summary result))
     (unless force
       (steersman-rewind--offer-force
        result
        (lambda ()
          (steersman-rewind--do connection session
                                (list :toMessage (plist-get fields :toMessage) :files t :conversation :json-false)
                                t)))))))

(defun steersman-rewind--offer-force (result force)
  "Call FORCE if the person wants RESULT's conflicts overwritten, too."
  (unless (seq-empty-p (plist-get result :conflicts))
    (steersman-rewind--aside
     (lambda ()
       (when (yes-or-no-p (format "%s.  Restore them too, over what was changed since? "
                                  (steersman-rewind--conflicts result)))
         (funcall force))))))

(defun steersman-rewind--aside (ask)
  "Call ASK, which may use the minibuffer, once that is free."
  (if (active-minibuffer-window)
      (let (later)
        (setq later (lambda ()
                      (remove-hook 'minibuffer-exit-hook later)
                      (run-at-time 0 nil #'steersman-rewind--aside ask)))
        (add-hook 'minibuffer-exit-hook later))
    (run-at-time 0 nil (lambda () (with-local-quit (funcall ask))))))

(defun steersman-rewind--points (messages)
  "Return the tasks among MESSAGES, latest first.
It is an alist to the number of the message before each."
  (let (points)
    (seq-doseq (message messages)
      (when (and (equal (plist-get message :role) "user") (not (equal (plist-get message :origin) "host")))
        (let ((name (steersman-rewind--name (plist-get message :content))))
          (while (assoc name points)
            (setq name (concat name " ")))
          (push (cons name (1- (plist-get message :seq))) points))))
    points))

(defun steersman-rewind--name (content)
  "Return one line for a task's CONTENT."
  (let ((words (string-join (split-string (car (split-string content "\n\n<context>\n")) "[ \t\n\r]+" t) " ")))
    (truncate-string-to-width words 70 nil nil "…")))

(defun steersman-rewind--show (connection session)
  "Show SESSION of CONNECTION as it is now, where it is shown."
  (when (steersman-conversation-find session)
    (steersman-connection-call
     connection "steersman.sessions.get" (list :sessionId session)
     (lambda (result)
       (when-let* ((buffer (steersman-conversation-find session)))
         (with-current-buffer buffer
           (unless steersman-conversation-running
             (steersman-conversation-show-history (plist-get result :messages)))))))))

(defun steersman-rewind--summary (result)
  "Return in words what was restored by RESULT, and what was not."
  (let ((count (length (plist-get result :restored))))
    (concat (format "%d file%s put back as before" count (if (= count 1) "" "s"))
            (if (seq-empty-p (plist-get result :conflicts))
                ""
              (concat "; " (steersman-rewind--conflicts result))))))

(defun steersman-rewind--conflicts (result)
  "Return the conflicts of RESULT in words."
  (mapconcat (lambda (conflict)
               (format "%s: %s" (file-name-nondirectory (steersman-connection-path (plist-get conflict :uri)))
                       (plist-get conflict :reason)))
             (plist-get result :conflicts) "; "))

(provide 'steersman-rewind)

;;; steersman-rewind.el ends here
